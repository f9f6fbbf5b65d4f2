import type { Page } from 'lapidary'
import type { ListParameters } from '../list-parameters.ts'
import { FIRST_PAGE, listPath } from './links.ts'

interface PagesNavProps {
  readonly productId: string
  readonly parameters: ListParameters
  readonly page: Page<unknown>
}

/** Real links to the pages around this one; what is not there is said as text, not as a dead link. */
export function PagesNav({ productId, parameters, page }: PagesNavProps) {
  const { next, previous } = page.cursors
  const { number, count } = page.page
  const to = (cursor: string) => listPath(productId, parameters, { ...FIRST_PAGE, cursor })
  return (
    <nav class="pages" aria-label="Pages">
      {previous === null ? (
        <span class="page-link page-link-none">Previous</span>
      ) : (
        <a class="page-link" rel="prev" id="page-previous" href={to(previous)}>
          Previous
        </a>
      )}
      <span class="page-number" id="page-number" data-counts>
        {number === null ? (
          <a class="page-first" href={listPath(productId, parameters, FIRST_PAGE)}>
            First page
          </a>
        ) : (
          `Page ${number.toLocaleString('en')}${count === null || count === 0 ? '' : ` of ${count.toLocaleString('en')}`}`
        )}
      </span>
      {next === null ? (
        <span class="page-link page-link-none">Next</span>
      ) : (
        <a class="page-link" rel="next" id="page-next" href={to(next)}>
          Next
        </a>
      )}
    </nav>
  )
}
