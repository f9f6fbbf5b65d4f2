import type { Page } from 'lapidary'
import type { ListParameters } from '../list-parameters.ts'
import { isFiltered, listPath, NO_FILTER, pagePath } from './links.ts'
import { lastPageBefore } from './page-numbers.ts'
import type { Relaxation } from './relaxations.ts'
import { count } from './words.ts'

export interface EmptyListProps {
  readonly productId: string
  readonly parameters: ListParameters
  readonly page: Page<unknown>
  readonly relaxations: readonly Relaxation[]
}

/** In the place of a list without comments: what to do about it. */
export function EmptyList({ productId, parameters, page, relaxations }: EmptyListProps) {
  const last = lastPageBefore(page.page)
  if (last !== undefined) return <PastTheEnd href={pagePath(productId, parameters, last)} last={last} />
  const mayHaveOthers = parameters.cursor !== undefined || ((parameters.page ?? 1) > 1 && page.page.count === null)
  if (!isFiltered(parameters) && !mayHaveOthers) {
    return (
      <div class="sheet empty">
        <p class="empty-title">Nobody has written about this product yet.</p>
        <p>
          Be the first: <a href="#write-form">open the form</a>.
        </p>
      </div>
    )
  }
  return (
    <div class="sheet empty">
      <p class="empty-title">
        {mayHaveOthers ? 'There are no comments on this page.' : 'No comment passes all of these filters.'}
      </p>
      {relaxations.length === 0 ? (
        <p>
          Dropping one of them does not help. <a href={listPath(productId, parameters, NO_FILTER)}>Clear all filters</a>
        </p>
      ) : (
        <>
          <p>To see comments:</p>
          <ul class="relaxations">
            {relaxations.map(({ text, href }) => (
              <li>
                <a class="relaxation" href={href}>
                  {text}
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

/** A page whose number is too high: the filters are not what hides the comments. */
function PastTheEnd({ href, last }: { readonly href: string; readonly last: number }) {
  return (
    <div class="sheet empty">
      <p class="empty-title">{last === 1 ? 'There is only 1 page.' : `There are ${count(last, 'page')}.`}</p>
      <p class="past-end">
        <a class="relaxation" href={href}>
          {last === 1 ? 'Go to the first page' : `Go to page ${last.toLocaleString('en')}, the last`}
        </a>
      </p>
    </div>
  )
}
