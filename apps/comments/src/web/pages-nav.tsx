import type { Child } from 'hono/jsx'
import type { Page } from 'lapidary'
import type { ListParameters } from '../list-parameters.ts'
import { Icon } from './icons.tsx'
import { FIRST_PAGE, listPath, pagePath } from './links.ts'
import { type PagerPart, pagerParts, shownRange } from './page-numbers.ts'
import { useWords } from './reader.ts'

interface PagesNavProps {
  readonly productId: string
  readonly parameters: ListParameters
  readonly page: Page<unknown>
  /** Whether pages can be opened by number. */
  readonly numbered: boolean
}

/** The number of pages up to which all numbers are on show or a link away, so that no reader needs to type one. */
const FEW_PAGES = 7

/** Shows real links to the pages around this one, by number where they have one; nothing where there is only one page. */
export function PagesNav({ productId, parameters, page, numbered }: PagesNavProps) {
  const { number: shown, say } = useWords()
  const { number, about, count, total } = page.page
  const { next, previous } = neighboursOf(productId, parameters, page, numbered)
  const first = number === null ? listPath(productId, parameters, FIRST_PAGE) : undefined
  if (next === undefined && previous === undefined && first === undefined) return null
  const toNumber = (wanted: number) => pagePath(productId, parameters, wanted)
  const hasNumbers = numbered && number !== null && count !== null && count > 1
  const range = shownRange(page)
  const placeOf = (place: number) => {
    const [alone, among] =
      number === null ? [say.pages.about, say.pages.aboutOf] : [say.pages.number, say.pages.numberOf]
    return count === null || count === 0 ? alone(shown(place)) : among(shown(place), shown(count))
  }
  return (
    <nav class="pages" aria-label={say.pages.label}>
      {range === undefined || total === null ? null : (
        <p class="pages-range">{say.results.rangeOf(shown(range.first), shown(range.last), shown(total))}</p>
      )}
      <ol class="pager">
        <li>
          <Neighbour rel="prev" name={say.pages.previous} icon="before" href={previous} />
        </li>
        {hasNumbers ? (
          pagerParts(number, count).map((part) => (
            <PagerItem part={part} current={number} count={count} to={toNumber} />
          ))
        ) : (
          <li class="pager-place" id="page-number" data-counts>
            {first === undefined ? null : (
              <a class="page-first" href={first}>
                {say.pages.first}
              </a>
            )}
            {(number ?? about) === null ? null : <span>{placeOf(number ?? about ?? 1)}</span>}
          </li>
        )}
        <li>
          <Neighbour rel="next" name={say.pages.next} icon="after" href={next} />
        </li>
      </ol>
      {hasNumbers && count > FEW_PAGES ? (
        <JumpToPage productId={productId} parameters={parameters} count={count} />
      ) : null}
    </nav>
  )
}

/**
 * Returns the addresses of the pages before and after: by number where the page has one, so that an address stays the same however a reader came
 * to it; else by cursor.
 */
export function neighboursOf(
  productId: string,
  parameters: ListParameters,
  { cursors, page: { number, count } }: Page<unknown>,
  numbered: boolean,
): { readonly next: string | undefined; readonly previous: string | undefined } {
  const to = (changes: Partial<ListParameters>) => listPath(productId, parameters, { ...FIRST_PAGE, ...changes })
  const byCursor = (cursor: string | null) => (cursor === null ? undefined : to({ cursor }))
  if (!numbered || number === null) return { next: byCursor(cursors.next), previous: byCursor(cursors.previous) }
  // A page past the end leads back to the last page.
  const before = Math.min(number - 1, count ?? number - 1)
  return {
    next: cursors.next === null ? undefined : pagePath(productId, parameters, number + 1),
    previous: number === 1 ? undefined : pagePath(productId, parameters, Math.max(1, before)),
  }
}

interface NeighbourProps {
  readonly rel: 'prev' | 'next'
  readonly name: string
  readonly icon: 'before' | 'after'
  readonly href: string | undefined
}

/** Shows an arrow; at an end it stays in its place, without a link. */
function Neighbour({ rel, name, icon, href }: NeighbourProps) {
  const drawn: Child = <Icon name={icon} size={20} />
  if (href === undefined) return <span class="pager-page pager-none">{drawn}</span>
  return (
    <a class="pager-page pager-turn" rel={rel} id={`page-${rel}`} href={href}>
      {drawn}
      <span class="visually-hidden">{name}</span>
    </a>
  )
}

interface PagerItemProps {
  readonly part: PagerPart
  readonly current: number
  readonly count: number
  readonly to: (number: number) => string
}

function PagerItem({ part, current, count, to }: PagerItemProps) {
  const { number, say } = useWords()
  if (part === 'gap') {
    return (
      <li class="pager-gap" aria-hidden="true">
        …
      </li>
    )
  }
  const isCurrent = part === current
  return (
    <li class={isCurrent || part === 1 || part === count ? '' : 'pager-near'}>
      <a
        class="pager-page"
        href={to(part)}
        aria-label={part === count && !isCurrent ? say.pages.last(number(part)) : say.pages.number(number(part))}
        {...(isCurrent ? { 'aria-current': 'page' as const } : {})}
      >
        {number(part)}
      </a>
    </li>
  )
}

/** Shows a form that works without JavaScript: the filter is in hidden fields. */
function JumpToPage({
  productId,
  parameters,
  count,
}: Omit<PagesNavProps, 'page' | 'numbered'> & { readonly count: number }) {
  const { number, say } = useWords()
  const [action = '', search = ''] = listPath(productId, parameters, FIRST_PAGE).split('?')
  return (
    <form class="pager-jump" action={action}>
      {[...new URLSearchParams(search)].map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <label for="jump-to-page">{say.pages.page}</label>
      <input
        class="field"
        id="jump-to-page"
        name="page"
        type="number"
        min="1"
        max={count}
        inputmode="numeric"
        required
      />
      <span>{say.pages.of(number(count))}</span>
      <button class="button button-quiet" type="submit">
        {say.pages.go}
      </button>
    </form>
  )
}
