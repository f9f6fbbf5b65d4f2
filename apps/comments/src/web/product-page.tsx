import type { Page } from 'lapidary'
import type { Comment } from '../comment.ts'
import type { ListParameters } from '../list-parameters.ts'
import { ActiveFilters } from './active-filters.tsx'
import { CommentCard } from './comment-card.tsx'
import { CommentForm, type CommentFormProps } from './comment-form.tsx'
import { Document } from './document.tsx'
import { FilterPanel } from './filter-panel.tsx'
import { FIRST_PAGE, isFiltered, listPath, NO_FILTER, productPath } from './links.ts'
import { PagesNav } from './pages-nav.tsx'
import { PlanPanel } from './query-plan/plan-panel.tsx'
import type { Relaxation } from './relaxations.ts'
import { count, moment } from './words.ts'

export interface ProductPageProps {
  readonly productId: string
  readonly parameters: ListParameters
  readonly page: Page<Comment>
  /** For an empty list, the filters to drop. */
  readonly relaxations: readonly Relaxation[]
  /** The comment that was just published. */
  readonly posted?: Comment | undefined
  readonly form: Pick<CommentFormProps, 'values' | 'errors' | 'problem'>
}

/** A product's comments: the filter, the list, how it was found, and a form to add to it. */
export function ProductPage({ productId, parameters, page, relaxations, posted, form }: ProductPageProps) {
  const { next, previous } = page.cursors
  const to = (cursor: string | null) =>
    cursor === null ? undefined : listPath(productId, parameters, { ...FIRST_PAGE, cursor })
  const summary = summaryOf(page)
  return (
    <Document
      title={`Comments on product ${productId} – Lapidary`}
      description={`What people say about product ${productId}, by language and rating.`}
      canonical={productPath(productId)}
      previous={to(previous)}
      next={to(next)}
      productId={productId}
      hidden={isFiltered(parameters)}
    >
      <div class="wide product">
        <header class="product-head">
          <h1>
            Comments on product{' '}
            <span dir="auto" class="product-id">
              {productId}
            </span>
          </h1>
          <a class="button button-quiet" href="#write-form">
            Write a comment
          </a>
        </header>
        {posted === undefined ? null : <Published posted={posted} listed={isListed(page, posted)} />}
        <FilterPanel productId={productId} parameters={parameters} facets={page.facets} />
        <div class="results">
          <div class="results-head">
            <h2 class="results-title" id="results" tabindex={-1} data-announce={summary}>
              {summary}
            </h2>
            {page.asOf === null ? null : (
              <p class="as-of">
                Counted <time datetime={page.asOf}>{moment(page.asOf)}</time>
              </p>
            )}
            <ActiveFilters productId={productId} parameters={parameters} />
          </div>
          <PlanPanel plan={page.plan} />
          {page.items.length === 0 ? (
            <EmptyList productId={productId} parameters={parameters} relaxations={relaxations} />
          ) : (
            <div class="sheet comments">
              {page.items.map((comment) => (
                <CommentCard comment={comment} isNew={comment.id === posted?.id} />
              ))}
            </div>
          )}
          <PagesNav productId={productId} parameters={parameters} page={page} />
          <CommentForm productId={productId} {...form} />
        </div>
      </div>
    </Document>
  )
}

/** How many comments there are, as far as is known: statistics know all, a whole list on one page tells it itself. */
function summaryOf({ items, page, cursors }: Page<Comment>): string {
  const { length } = items
  const total = page.total ?? (cursors.next === null && cursors.previous === null ? length : null)
  if (total === 0) return 'No comments'
  if (total === null) return length === 0 ? 'No comments here' : `${count(length, 'comment')} shown`
  return length === total ? count(total, 'comment') : `${count(total, 'comment')}, ${length} shown`
}

function isListed(page: Page<Comment>, posted: Comment): boolean {
  return page.items.some(({ id }) => id === posted.id)
}

function Published({ posted, listed }: { posted: Comment; listed: boolean }) {
  return (
    <div class="published" id="published" tabindex={-1}>
      <p>
        <strong>Your comment is published.</strong>{' '}
        {listed ? <a href={`#comment-${encodeURIComponent(posted.id)}`}>See it in the list</a> : null}
      </p>
      {listed ? null : <CommentCard comment={posted} isNew />}
    </div>
  )
}

interface EmptyListProps {
  readonly productId: string
  readonly parameters: ListParameters
  readonly relaxations: readonly Relaxation[]
}

function EmptyList({ productId, parameters, relaxations }: EmptyListProps) {
  if (!isFiltered(parameters) && parameters.cursor === undefined) {
    return (
      <div class="sheet empty">
        <p class="empty-title">Nobody has written about this product yet.</p>
        <p>Be the first: the form is below.</p>
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
