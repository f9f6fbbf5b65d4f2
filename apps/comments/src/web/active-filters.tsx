import type { ListParameters } from '../list-parameters.ts'
import { Icon } from './icons.tsx'
import { FIRST_PAGE, isFiltered, listPath, NO_FILTER } from './links.ts'
import { useWords } from './reader.ts'
import type { Words } from './words.ts'

interface Chip {
  readonly name: string
  readonly href: string
}

/** Shows a chip for each chosen value: a link to the same list without it. */
export function ActiveFilters({ productId, parameters }: { productId: string; parameters: ListParameters }) {
  const words = useWords()
  const { filter } = words.say
  if (!isFiltered(parameters)) return null
  return (
    <nav class="chips" aria-label={filter.active}>
      <ul class="chip-list">
        {chipsOf(productId, parameters, words).map(({ name, href }, i) => (
          <li>
            <a class="chip" href={href} id={`chip-${i}`} aria-label={filter.remove(name)}>
              {name}
              <Icon name="cross" size={14} />
            </a>
          </li>
        ))}
        <li>
          <a class="clear-all" href={listPath(productId, parameters, NO_FILTER)}>
            {filter.clearAll}
          </a>
        </li>
      </ul>
    </nav>
  )
}

function chipsOf(
  productId: string,
  parameters: ListParameters,
  { count, day, languageTitle, say }: Words,
): readonly Chip[] {
  const { language, ratings, verified, answered, from, to } = parameters
  const { votes } = say
  const without = (name: string, changes: Partial<ListParameters>): Chip => ({
    name,
    href: listPath(productId, parameters, { ...changes, ...FIRST_PAGE }),
  })
  return [
    ...[...ratings]
      .reverse()
      .map((rating) => without(count(rating, 'star'), { ratings: ratings.filter((other) => other !== rating) })),
    ...(language === undefined ? [] : [without(languageTitle(language), { language: undefined })]),
    ...(verified === undefined ? [] : [without(verified ? votes.verified : votes.unverified, { verified: undefined })]),
    ...(answered === undefined ? [] : [without(answered ? votes.answered : votes.unanswered, { answered: undefined })]),
    ...(from === undefined ? [] : [without(say.filter.from(day(from)), { from: undefined })]),
    ...(to === undefined ? [] : [without(say.filter.before(day(to)), { to: undefined })]),
  ]
}
