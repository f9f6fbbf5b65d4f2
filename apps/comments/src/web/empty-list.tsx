import type { Child } from 'hono/jsx'
import type { Page } from 'lapidary'
import type { ListParameters } from '../list-parameters.ts'
import { Icon } from './icons.tsx'
import { isFiltered, listPath, NO_FILTER, pagePath } from './links.ts'
import { lastPageBefore } from './page-numbers.ts'
import { useWords } from './reader.ts'
import type { Relaxation } from './relaxations.ts'

export interface EmptyListProps {
  readonly productId: string
  readonly parameters: ListParameters
  readonly page: Page<unknown>
  readonly relaxations: readonly Relaxation[]
}

/** Tells whether a list may be empty only because of where in it the page is. */
function mayHaveOthers({ cursor, page }: ListParameters, { page: { count } }: Page<unknown>): boolean {
  return cursor !== undefined || ((page ?? 1) > 1 && count === null)
}

/** Tells whether the product has no comments at all, so that a filter is useless. */
export function isBare(parameters: ListParameters, page: Page<unknown>): boolean {
  return (
    page.items.length === 0 &&
    !isFiltered(parameters) &&
    !mayHaveOthers(parameters, page) &&
    lastPageBefore(page.page) === undefined
  )
}

/** Shows the way on in place of a list without comments. */
export function EmptyList({ productId, parameters, page, relaxations }: EmptyListProps) {
  const { empty } = useWords().say
  const last = lastPageBefore(page.page)
  if (last !== undefined) return <PastTheEnd href={pagePath(productId, parameters, last)} last={last} />
  const others = mayHaveOthers(parameters, page)
  if (!isFiltered(parameters) && !others) {
    return (
      <Empty title={empty.title}>
        <p>{empty.invitation}</p>
      </Empty>
    )
  }
  return (
    <Empty title={others ? empty.pageTitle : empty.filterTitle}>
      {relaxations.length === 0 ? (
        <p>
          {empty.noHelp}{' '}
          <a class="relaxation" href={listPath(productId, parameters, NO_FILTER)}>
            {empty.clearFilters}
          </a>
        </p>
      ) : (
        <>
          <p>{empty.toSee}</p>
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
    </Empty>
  )
}

/** Shows the way back from a page whose number is too high: the filters do not hide the comments. */
function PastTheEnd({ href, last }: { readonly href: string; readonly last: number }) {
  const { count, number, say } = useWords()
  return (
    <Empty title={last === 1 ? say.empty.onePage : say.empty.pages(count(last, 'page'))}>
      <p class="past-end">
        <a class="relaxation" href={href}>
          {last === 1 ? say.empty.toFirst : say.empty.toLast(number(last))}
        </a>
      </p>
    </Empty>
  )
}

function Empty({ title, children }: { readonly title: string; readonly children: Child }) {
  return (
    <div class="sheet empty">
      <Icon name="gem" size={48} />
      <div>
        <p class="empty-title">{title}</p>
        {children}
      </div>
    </div>
  )
}
