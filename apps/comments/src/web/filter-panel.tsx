import { DEFAULT_LIMIT } from 'lapidary'
import { type CommentOrder, type ListParameters, RATINGS, type Rating } from '../list-parameters.ts'
import { Icon, Stars } from './icons.tsx'
import { FIRST_PAGE, isFiltered, listPath, NO_FILTER, productPath } from './links.ts'
import type { Messages } from './messages/en.ts'
import { useWords } from './reader.ts'
import { COMMON_LANGUAGES } from './words.ts'

/** The number of comments that each value of each facet would show; null for a list between two dates. */
export type FacetCounts = Readonly<Record<string, Readonly<Record<string, number>>>> | null

export interface FilterPanelProps {
  readonly productId: string
  readonly parameters: ListParameters
  readonly facets: FacetCounts
  /** The number of comments that pass the filter, where that is known. */
  readonly total: number | null
}

/**
 * Shows the filter: a form that works by itself, and applies each change at once where the script runs. On a phone it is a sheet that a button
 * opens, and the ratings stand beside the button.
 */
export function FilterPanel({ productId, parameters, facets, total }: FilterPanelProps) {
  const { number, say } = useWords()
  const { filter } = say
  const { language, ratings } = parameters
  const { verified, answered } = parameters
  const chosen = ratings.length + [language, verified, answered].filter((given) => given !== undefined).length
  return (
    <aside class="filters" id="filter-panel" aria-labelledby="filters-title" data-counts>
      <h2 class="filters-title" id="filters-title">
        {filter.title}
      </h2>
      <div class="filters-row">
        <button class="filters-open" type="button" id="filters-open" popovertarget="filters-sheet">
          {filter.title}
          {chosen === 0 ? null : (
            <span class="filters-chosen">
              {number(chosen)}
              <span class="visually-hidden"> {filter.chosen}</span>
            </span>
          )}
        </button>
        <RatingLinks productId={productId} parameters={parameters} counts={facets?.rating} />
      </div>
      <div class="filters-sheet" id="filters-sheet" popover="auto" data-keep="popover">
        <form class="filters-form" id="filters" action={productPath(productId)} method="get" autocomplete="off">
          <RatingHistogram ratings={ratings} counts={facets?.rating} />
          <LanguageSelect language={language} counts={facets?.language} />
          <div class="filter-group">
            <label class="filter-name" for="order">
              {filter.order}
            </label>
            <select class="field" id="order" name="order">
              {ordersFor(parameters).map((order) => (
                <option value={order === parameters.defaultOrder ? '' : order} selected={parameters.order === order}>
                  {orderNames(say)[order]}
                </option>
              ))}
            </select>
          </div>
          <Flags parameters={parameters} facets={facets} />
          <Kept name="limit" value={parameters.limit === DEFAULT_LIMIT ? undefined : String(parameters.limit)} />
          <Kept name="from" value={parameters.from} />
          <Kept name="to" value={parameters.to} />
          <Kept name="explain" value={parameters.explain ? 'true' : undefined} />
          <FilterBar productId={productId} parameters={parameters} total={total} />
        </form>
      </div>
    </aside>
  )
}

/** A list between two dates is in the order of time alone. */
function ordersFor({ from, to }: ListParameters): readonly CommentOrder[] {
  return from === undefined && to === undefined
    ? ['helpful', 'newest', 'oldest', 'highest', 'lowest']
    : ['newest', 'oldest']
}

function orderNames({ filter, votes }: Messages): Readonly<Record<CommentOrder, string>> {
  return {
    helpful: votes.helpfulFirst,
    newest: filter.newestFirst,
    oldest: filter.oldestFirst,
    highest: votes.highestFirst,
    lowest: votes.lowestFirst,
  }
}

/** Shows the two switches, with how many comments each would leave. What an address asks otherwise is kept, and a chip takes it away. */
function Flags({ parameters, facets }: Pick<FilterPanelProps, 'parameters' | 'facets'>) {
  const { noun, number, say } = useWords()
  const { votes } = say
  const flags = [
    { name: 'verified' as const, text: votes.verified },
    { name: 'answered' as const, text: votes.answered },
  ]
  return (
    <fieldset class="filter-group flags">
      <legend class="filter-name">{votes.only}</legend>
      {flags.map(({ name, text }) => {
        const known = facets?.[name] === undefined ? undefined : (facets[name]?.true ?? 0)
        if (parameters[name] === false) return <Kept name={name} value="false" />
        return (
          <label class="rating flag">
            <input type="checkbox" name={name} value="true" id={`filter-${name}`} checked={parameters[name] === true} />
            <span class="flag-name">{text}</span>
            {known === undefined ? null : (
              <span class="flag-count">
                {number(known)}
                <span class="visually-hidden"> {noun(known, 'comment')}</span>
              </span>
            )}
          </label>
        )
      })}
    </fieldset>
  )
}

/** Keeps a parameter for which the form has no control. */
function Kept({ name, value }: { name: string; value: string | undefined }) {
  return value === undefined ? null : <input type="hidden" name={name} value={value} />
}

/** Shows the foot of the sheet: a button to clear the filter, and one to the list. The script adds how many comments pass. */
function FilterBar({ productId, parameters, total }: Omit<FilterPanelProps, 'facets'>) {
  const { count, say } = useWords()
  const { filter } = say
  return (
    <div class="filters-bar">
      <a class="filters-clear" href={listPath(productId, parameters, NO_FILTER)}>
        {filter.clear}
      </a>
      <button class="button apply" type="submit" id="filters-show">
        <span class="apply-plain">{isFiltered(parameters) ? filter.applyChanges : filter.apply}</span>
        <span class="apply-counted">{total === null ? filter.showComments : filter.show(count(total, 'comment'))}</span>
      </button>
    </div>
  )
}

type Counts = Readonly<Record<string, number>> | undefined

function totalOf(counts: Counts): number {
  return counts === undefined ? 0 : RATINGS.reduce((sum, rating) => sum + (counts[rating] ?? 0), 0)
}

/** The height of the highest bar beside the button. */
const BAR = 14

/** Shows the histogram in one line, for a phone: each column is a link that adds its rating to the filter, or removes it. */
function RatingLinks({
  productId,
  parameters,
  counts,
}: Pick<FilterPanelProps, 'productId' | 'parameters'> & { counts: Counts }) {
  const { count, number, shortNumber, say } = useWords()
  const { ratings } = parameters
  const most = Math.max(1, ...RATINGS.map((rating) => counts?.[rating] ?? 0))
  return (
    <ul class="rating-links" aria-label={say.filter.ratings}>
      {RATINGS.map((rating) => {
        const isChosen = ratings.includes(rating)
        const stars = count(rating, 'star')
        const others = isChosen ? ratings.filter((other) => other !== rating) : [...ratings, rating].sort()
        const height = counts && Math.max(1, Math.round((BAR * (counts[rating] ?? 0)) / most))
        return (
          <li>
            <a
              class="rating-link"
              id={`rating-link-${rating}`}
              href={listPath(productId, parameters, { ...FIRST_PAGE, ratings: others })}
              aria-label={`${isChosen ? say.filter.withoutRating(stars) : say.filter.withRating(stars)}${
                counts === undefined ? '' : say.comma + count(counts[rating] ?? 0, 'comment')
              }`}
              {...(isChosen ? { 'aria-current': 'true' as const } : {})}
            >
              {height === undefined ? null : (
                <svg width="24" height={BAR} aria-hidden="true">
                  <rect class="bar-fill" y={BAR - height} width="24" height={height} rx="1" />
                </svg>
              )}
              <span>{number(rating)}★</span>
              {counts === undefined ? null : <small>{shortNumber(counts[rating] ?? 0)}</small>}
            </a>
          </li>
        )
      })}
    </ul>
  )
}

/** Shows the histogram as the filter: each bar is a checkbox. Bars show shares in the chosen language, whatever is ticked. */
function RatingHistogram({ ratings, counts }: { ratings: readonly Rating[]; counts: Counts }) {
  const { count, noun, number, percent, say } = useWords()
  const total = totalOf(counts)
  return (
    <fieldset class="filter-group ratings">
      <legend class="filter-name">{say.filter.rating}</legend>
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
                  {number(rating)}
                  <Icon name="star" size={14} />
                </span>
                <Bar share={share} />
                <span class="rating-count">
                  {number(known)}
                  <span class="visually-hidden">
                    {' '}
                    {noun(known, 'comment')}
                    {say.comma}
                  </span>
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

/** The least height of a bar, so that a share above 0 can be seen. */
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

/** Shows the languages, with the most comments first; where that is not known, some common ones by name. */
function LanguageSelect({ language, counts }: { language: string | undefined; counts: Counts }) {
  const { languageTitle, number: shown, locale, say } = useWords()
  const number = (tag: string): number => counts?.[tag] ?? 0
  const known = counts === undefined ? COMMON_LANGUAGES : Object.keys(counts).filter((tag) => number(tag) > 0)
  const choices = [...new Set(language === undefined ? known : [...known, language])]
    .map((tag) => ({ tag, name: languageTitle(tag) }))
    .sort((a, b) => number(b.tag) - number(a.tag) || a.name.localeCompare(b.name, locale))
  const counted = (name: string, of: number) => (counts === undefined ? name : `${name} (${shown(of)})`)
  const all = Object.values(counts ?? {}).reduce((sum, of) => sum + of, 0)
  return (
    <div class="filter-group">
      <label class="filter-name" for="language">
        {say.filter.language}
      </label>
      <select class="field" id="language" name="language">
        <option value="" selected={language === undefined}>
          {counted(say.anyLanguage, all)}
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
