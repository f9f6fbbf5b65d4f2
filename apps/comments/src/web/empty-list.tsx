import type { ListParameters } from '../list-parameters.ts'
import { isFiltered, listPath, NO_FILTER } from './links.ts'
import type { Relaxation } from './relaxations.ts'

export interface EmptyListProps {
  readonly productId: string
  readonly parameters: ListParameters
  readonly relaxations: readonly Relaxation[]
}

/** In the place of a list without comments: what to do about it. */
export function EmptyList({ productId, parameters, relaxations }: EmptyListProps) {
  if (!isFiltered(parameters) && parameters.cursor === undefined) {
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
        {isFiltered(parameters) ? 'No comment passes all of these filters.' : 'There are no comments on this page.'}
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
