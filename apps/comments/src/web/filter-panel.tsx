import { DEFAULT_LIMIT } from 'lapidary'
import { type ListParameters, RATINGS, type Rating } from '../list-parameters.ts'
import { Icon, Stars } from './icons.tsx'
import { isFiltered, productPath } from './links.ts'
import { COMMON_LANGUAGES, count, languageName, percent } from './words.ts'

/** How many comments each value of each facet would show; null for a list between two dates. */
export type FacetCounts = Readonly<Record<string, Readonly<Record<string, number>>>> | null

export interface FilterPanelProps {
  readonly productId: string
  readonly parameters: ListParameters
  readonly facets: FacetCounts
}

/** The filter: a form that works by itself, and applies each change at once where the script runs. */
export function FilterPanel({ productId, parameters, facets }: FilterPanelProps) {
  const chosen = parameters.ratings.length + (parameters.language === undefined ? 0 : 1)
  return (
    <aside class="filters" id="filter-panel" aria-labelledby="filters-title" data-counts>
      <h2 class="filters-title" id="filters-title">
        Filter
      </h2>
      <input class="filters-switch" type="checkbox" id="filters-switch" data-keep="checked" />
      <label class="filters-switch-label" for="filters-switch">
        <span>Filter{chosen === 0 ? ' and sort' : `: ${chosen} chosen`}</span>
        <Icon name="chevron" />
      </label>
      <form class="filters-form" id="filters" action={productPath(productId)} method="get" autocomplete="off">
        <RatingHistogram ratings={parameters.ratings} counts={facets?.rating} />
        <LanguageSelect language={parameters.language} counts={facets?.language} />
        <div class="filter-group">
          <label class="filter-name" for="order">
            Order
          </label>
          <select class="field" id="order" name="order">
            <option value="" selected={parameters.order === 'newest'}>
              Newest first
            </option>
            <option value="oldest" selected={parameters.order === 'oldest'}>
              Oldest first
            </option>
          </select>
        </div>
        <Kept name="limit" value={parameters.limit === DEFAULT_LIMIT ? undefined : String(parameters.limit)} />
        <Kept name="from" value={parameters.from} />
        <Kept name="to" value={parameters.to} />
        <button class="button apply" type="submit">
          Apply{isFiltered(parameters) ? ' changes' : ''}
        </button>
      </form>
    </aside>
  )
}

/** What the form has no control for stays as it was. */
function Kept({ name, value }: { name: string; value: string | undefined }) {
  return value === undefined ? null : <input type="hidden" name={name} value={value} />
}

type Counts = Readonly<Record<string, number>> | undefined

/** The histogram is the filter: each bar is a checkbox. Bars show shares of the language chosen, whatever is ticked. */
function RatingHistogram({ ratings, counts }: { ratings: readonly Rating[]; counts: Counts }) {
  const total = counts === undefined ? 0 : RATINGS.reduce((sum, rating) => sum + (counts[rating] ?? 0), 0)
  return (
    <fieldset class="filter-group ratings">
      <legend class="filter-name">Rating</legend>
      {RATINGS.map((rating) => {
        const known = counts === undefined ? undefined : (counts[rating] ?? 0)
        const share = known === undefined || total === 0 ? 0 : known / total
        return (
          <label class={known === undefined ? 'rating' : 'rating rating-counted'}>
            <input
              type="checkbox"
              name="rating"
              value={String(rating)}
              id={`rating-${rating}`}
              checked={ratings.includes(rating)}
            />
            <span class="visually-hidden">{count(rating, 'star')}</span>
            {known === undefined ? (
              <Stars rating={rating} />
            ) : (
              <>
                <span class="rating-value" aria-hidden="true">
                  {rating}
                  <Icon name="star" size={14} />
                </span>
                <Bar share={share} />
                <span class="rating-count">
                  {known.toLocaleString('en')}
                  <span class="visually-hidden"> {known === 1 ? 'comment' : 'comments'},</span>
                </span>
                <span class="rating-share">{percent(share)}</span>
              </>
            )}
          </label>
        )
      })}
    </fieldset>
  )
}

/** What is not nothing can be seen, however small its share. */
const LEAST_SHOWN = 0.02

function Bar({ share }: { share: number }) {
  return (
    <svg class="bar" height="10" aria-hidden="true">
      <rect class="bar-track" width="100%" height="10" rx="2" />
      <rect
        class="bar-fill"
        width={`${(share === 0 ? 0 : 100 * Math.max(LEAST_SHOWN, share)).toFixed(2)}%`}
        height="10"
        rx="2"
      />
    </svg>
  )
}

/** The languages there are, with the most comments first; where that is not known, some that are common, by name. */
function LanguageSelect({ language, counts }: { language: string | undefined; counts: Counts }) {
  const number = (tag: string): number => counts?.[tag] ?? 0
  const known = counts === undefined ? COMMON_LANGUAGES : Object.keys(counts).filter((tag) => number(tag) > 0)
  const choices = [...new Set(language === undefined ? known : [...known, language])]
    .map((tag) => ({ tag, name: languageName(tag) }))
    .sort((a, b) => number(b.tag) - number(a.tag) || a.name.localeCompare(b.name))
  const counted = (name: string, of: number) => (counts === undefined ? name : `${name} (${of.toLocaleString('en')})`)
  const all = Object.values(counts ?? {}).reduce((sum, of) => sum + of, 0)
  return (
    <div class="filter-group">
      <label class="filter-name" for="language">
        Language
      </label>
      <select class="field" id="language" name="language">
        <option value="" selected={language === undefined}>
          {counted('Any language', all)}
        </option>
        {choices.map(({ tag, name }) => (
          <option value={tag} selected={tag === language}>
            {counted(name, number(tag))}
          </option>
        ))}
      </select>
    </div>
  )
}
