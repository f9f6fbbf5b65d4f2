import type { Page } from 'lapidary'
import type { Comment } from '../comment.ts'
import type { Highlights } from '../highlights.ts'
import type { ListParameters } from '../list-parameters.ts'
import { ActiveFilters } from './active-filters.tsx'
import { CommentCard } from './comment-card.tsx'
import { CommentForm, type CommentFormProps } from './comment-form.tsx'
import { Document } from './document.tsx'
import { EmptyList } from './empty-list.tsx'
import { FilterPanel } from './filter-panel.tsx'
import { HighlightStrip } from './highlight-strip.tsx'
import { isFiltered, pagePath } from './links.ts'
import { lastPageBefore } from './page-numbers.ts'
import { neighboursOf, PagesNav } from './pages-nav.tsx'
import { ProductHead } from './product-head.tsx'
import { Published, type PublishedProps } from './published.tsx'
import { PlanPanel } from './query-plan/plan-panel.tsx'
import type { Relaxation } from './relaxations.ts'
import { count } from './words.ts'

export interface ProductPageProps {
  readonly productId: string
  readonly parameters: ListParameters
  readonly page: Page<Comment>
  /** Whether pages can be opened by number. */
  readonly numbered: boolean
  /** Milliseconds by which the counts are too far behind to be shown; undefined = they are shown. */
  readonly countsBehind?: number | undefined
  /** For an empty list, the filters to drop. */
  readonly relaxations: readonly Relaxation[]
  /** The comment that was just published. */
  readonly posted?: Omit<PublishedProps, 'listed'> | undefined
  /** For a first page of all ratings. */
  readonly highlights?: Highlights | undefined
  readonly form: Pick<CommentFormProps, 'values' | 'errors' | 'problem'>
}

/** A product's comments: the filter, the list, how it was found, and a form to add to it. */
export function ProductPage(props: ProductPageProps) {
  const { productId, parameters, page, numbered, countsBehind, relaxations, posted, highlights, form } = props
  const facets = countsBehind === undefined ? page.facets : null
  const { next, previous } = neighboursOf(productId, parameters, page, numbered)
  const summary = summaryOf(page)
  return (
    <Document
      title={`Comments on product ${productId} – Lapidary`}
      description={`What people say about product ${productId}, by language and rating.`}
      canonical={canonicalPath(productId, parameters, page)}
      previous={previous}
      next={next}
      productId={productId}
      hidden={isFiltered(parameters) || lastPageBefore(page.page) !== undefined}
    >
      <div class="wide product">
        <ProductHead
          productId={productId}
          language={parameters.language}
          facets={facets}
          asOf={page.asOf}
          countsBehind={countsBehind}
        />
        {posted === undefined ? null : <Published {...posted} listed={isListed(page, posted.posted)} />}
        <FilterPanel productId={productId} parameters={parameters} facets={facets} />
        <div class="results">
          <div class="results-head">
            <h2 class="results-title" id="results" tabindex={-1} data-announce={summary} data-counts>
              {summary}
            </h2>
            <ActiveFilters productId={productId} parameters={parameters} />
          </div>
          {highlights === undefined ? null : (
            <HighlightStrip productId={productId} parameters={parameters} highlights={highlights} />
          )}
          <PlanPanel plan={page.plan} highlightsRcu={highlights?.rcu} />
          {page.items.length === 0 ? (
            <EmptyList productId={productId} parameters={parameters} page={page} relaxations={relaxations} />
          ) : (
            <div class="sheet comments">
              {page.items.map((comment) => (
                <CommentCard comment={comment} isNew={comment.id === posted?.posted.id} />
              ))}
            </div>
          )}
          <PagesNav productId={productId} parameters={parameters} page={page} numbered={numbered} />
          <CommentForm productId={productId} {...form} />
        </div>
      </div>
    </Document>
  )
}

/** How many comments there are and which of them are shown, as far as is known: statistics know all, a whole list on one page tells it itself. */
function summaryOf({ items, page, cursors }: Page<Comment>): string {
  const { length } = items
  if (page.number !== null && page.number > 1 && page.total !== null && length > 0) {
    const first = (page.number - 1) * page.size + 1
    return `${count(page.total, 'comment')}, ${first.toLocaleString('en')} to ${(first + length - 1).toLocaleString('en')}`
  }
  if (page.total !== null && lastPageBefore(page) !== undefined) {
    return `${count(page.total, 'comment')}, none on this page`
  }
  const total = page.total ?? (cursors.next === null && cursors.previous === null ? length : null)
  if (total === 0) return 'No comments'
  if (total === null) return length === 0 ? 'No comments here' : `${count(length, 'comment')} shown`
  return length === total ? count(total, 'comment') : `${count(total, 'comment')}, ${length} shown`
}

/** A page by number keeps its list's own address; one by cursor has none to keep: its items move, and no other page shows them. */
function canonicalPath(
  productId: string,
  parameters: ListParameters,
  { page: { number } }: Page<Comment>,
): string | undefined {
  return number === null ? undefined : pagePath(productId, parameters, number)
}

function isListed(page: Page<Comment>, posted: Comment): boolean {
  return page.items.some(({ id }) => id === posted.id)
}
