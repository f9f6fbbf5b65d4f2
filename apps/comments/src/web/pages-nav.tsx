import type { Page } from 'lapidary'
import type { ListParameters } from '../list-parameters.ts'
import { FIRST_PAGE, listPath, pagePath } from './links.ts'
import { type PagerPart, pagerParts } from './page-numbers.ts'

interface PagesNavProps {
  readonly productId: string
  readonly parameters: ListParameters
  readonly page: Page<unknown>
  /** Whether pages can be opened by number. */
  readonly numbered: boolean
}

/** Pages up to which all numbers are on show or a link away, so that no reader needs to type one. */
const FEW_PAGES = 7

/** Real links to the pages around this one; what is not there is said as text, not as a dead link. */
export function PagesNav({ productId, parameters, page, numbered }: PagesNavProps) {
  const { number, count } = page.page
  const to = (changes: Partial<ListParameters>) => listPath(productId, parameters, { ...FIRST_PAGE, ...changes })
  const toNumber = (wanted: number) => pagePath(productId, parameters, wanted)
  const { next, previous } = neighboursOf(productId, parameters, page, numbered)
  const hasNumbers = numbered && number !== null && count !== null && count > 1
  return (
    <nav class={hasNumbers ? 'pages pages-numbered' : 'pages'} aria-label="Pages">
      <Neighbour id="page-previous" rel="prev" name="Previous" href={previous} />
      {hasNumbers ? (
        <ol class="pager">
          {pagerParts(number, count).map((part) => (
            <PagerItem part={part} current={number} count={count} to={toNumber} />
          ))}
        </ol>
      ) : (
        <span class="page-number" id="page-number" data-counts>
          {number === null ? (
            <a class="page-first" href={to({})}>
              First page
            </a>
          ) : (
            `Page ${number.toLocaleString('en')}${count === null || count === 0 ? '' : ` of ${count.toLocaleString('en')}`}`
          )}
        </span>
      )}
      <Neighbour id="page-next" rel="next" name="Next" href={next} />
      {hasNumbers && count > FEW_PAGES ? (
        <JumpToPage productId={productId} parameters={parameters} count={count} />
      ) : null}
    </nav>
  )
}

/**
 * The addresses of the pages before and after: by number where the page has one, so that an address stays the same however a
 * reader came to it; else by cursor.
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
  // From past the end back to the last page.
  const before = Math.min(number - 1, count ?? number - 1)
  return {
    next: cursors.next === null ? undefined : pagePath(productId, parameters, number + 1),
    previous: number === 1 ? undefined : pagePath(productId, parameters, Math.max(1, before)),
  }
}

function Neighbour({ id, rel, name, href }: { id: string; rel: string; name: string; href: string | undefined }) {
  if (href === undefined) return <span class="page-link page-link-none">{name}</span>
  return (
    <a class="page-link" rel={rel} id={id} href={href}>
      {name}
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
        aria-label={
          part === count && !isCurrent
            ? `Page ${part.toLocaleString('en')}, the last`
            : `Page ${part.toLocaleString('en')}`
        }
        {...(isCurrent ? { 'aria-current': 'page' as const } : {})}
      >
        {part.toLocaleString('en')}
      </a>
    </li>
  )
}

/** A form that works without JavaScript: the filter is in hidden fields. */
function JumpToPage({
  productId,
  parameters,
  count,
}: Omit<PagesNavProps, 'page' | 'numbered'> & { readonly count: number }) {
  const [action = '', search = ''] = listPath(productId, parameters, FIRST_PAGE).split('?')
  return (
    <form class="pager-jump" action={action}>
      {[...new URLSearchParams(search)].map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <label for="jump-to-page">Page</label>
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
      <span>of {count.toLocaleString('en')}</span>
      <button class="button button-quiet" type="submit">
        Go
      </button>
    </form>
  )
}
