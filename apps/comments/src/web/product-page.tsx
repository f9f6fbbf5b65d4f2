import type { Page } from 'lapidary'
import type { SentRequest } from 'lapidary-http/internal/pages'
import type { Highlights } from '../highlights.ts'
import type { ListParameters } from '../list-parameters.ts'
import type { ShownComment } from '../shown-comment.ts'
import { ActiveFilters } from './active-filters.tsx'
import { CommentCard } from './comment-card.tsx'
import type { CommentFormProps } from './comment-form.tsx'
import { Document } from './document.tsx'
import { EmptyList, isBare as isBareList } from './empty-list.tsx'
import { FilterPanel } from './filter-panel.tsx'
import { HighlightStrip } from './highlight-strip.tsx'
import { isFiltered, isRearranged, pagePath } from './links.ts'
import { OwnLanguage } from './own-language.tsx'
import { lastPageBefore, shownRange } from './page-numbers.ts'
import { neighboursOf, PagesNav } from './pages-nav.tsx'
import { type OwnShown, WriteSection } from './people/write-section.tsx'
import { PhotoStrip, type StripShown } from './photos/photo-strip.tsx'
import { ProductHead } from './product-head.tsx'
import type { ProductShown } from './product-shown.tsx'
import { Published, type PublishedProps } from './published.tsx'
import { PlanPanel } from './query-plan/plan-panel.tsx'
import { useReader, useWords } from './reader.ts'
import type { Relaxation } from './relaxations.ts'
import { descriptionOf, titleOf } from './titles.ts'
import type { Voting } from './voting.ts'
import type { Words } from './words.ts'

export interface ProductPageProps {
  readonly productId: string
  readonly product: ProductShown | undefined
  readonly parameters: ListParameters
  readonly page: Page<ShownComment>
  /** The name of the layout that the lists are read from. */
  readonly layout: string
  /** Whether pages can be opened by number. */
  readonly numbered: boolean
  /** Milliseconds by which the counts are too far behind to be shown; undefined = they are shown. */
  readonly countsBehind?: number | undefined
  /** The filters to drop, for an empty list. */
  readonly relaxations: readonly Relaxation[]
  /** The comment that was just published. */
  readonly posted?: Omit<PublishedProps, 'listed'> | undefined
  /** The highlights, on a first page of all ratings. */
  readonly highlights?: Highlights | undefined
  /** The newest photos, on a first page without a filter. */
  readonly photos?: StripShown | undefined
  /** What was sent to the database for the page. */
  readonly requests: readonly SentRequest[]
  readonly form: Pick<CommentFormProps, 'values' | 'errors' | 'problem'>
  /** The comment of the visitor on the product. */
  readonly own?: OwnShown | undefined
  /** What has just been done, where the form is. */
  readonly notice?: string | undefined
  readonly voting: Voting
}

/** Shows a product's comments: the filter, the list, a form to add one, and the plan. */
export function ProductPage(props: ProductPageProps) {
  const words = useWords()
  const { plansFirst } = useReader()
  const { productId, product, parameters, page, numbered, countsBehind, relaxations, posted, highlights, form } = props
  const facets = countsBehind === undefined ? page.facets : null
  const { next, previous } = neighboursOf(productId, parameters, page, numbered)
  const [all, shown] = summaryOf(page, words)
  const isBare = isBareList(parameters, page)
  // One comment needs no filter, and is not counted twice.
  const isNarrow = isBare || (page.items.length === 1 && !isFiltered(parameters) && all === words.count(1, 'comment'))
  const planFirst = parameters.explain || plansFirst
  const plan = (
    <PlanPanel
      page={page}
      layout={props.layout}
      requests={props.requests}
      hasFreeHighlights={highlights?.rcu === 0}
      open={planFirst}
    />
  )
  return (
    <Document
      title={titleOf(words, { productId, product, parameters, page })}
      description={descriptionOf(words, { productId, product, parameters, page })}
      canonical={canonicalPath(productId, parameters, page)}
      previous={previous}
      next={next}
      productId={productId}
      hidden={isFiltered(parameters) || isRearranged(parameters) || page.items.length === 0}
    >
      <div class="wide product" itemscope itemtype="https://schema.org/Product">
        <ProductHead
          productId={productId}
          product={product}
          language={parameters.language}
          facets={facets}
          lastCommentedAt={
            highlights !== undefined && parameters.order === 'newest' ? page.items[0]?.createdAt : undefined
          }
          countsBehind={countsBehind}
          isUncounted={page.plan.notes.some(({ kind }) => kind === 'unknown')}
        />
        <div class="trend" id="trend" data-keep="node" hidden />
        {posted === undefined ? null : <Published {...posted} listed={isListed(page, posted.posted)} />}
        {isNarrow ? null : (
          <FilterPanel productId={productId} parameters={parameters} facets={facets} total={page.page.total} />
        )}
        <div class={isNarrow ? 'results results-bare' : 'results'}>
          <div class="results-head">
            <h2
              class={isNarrow ? 'visually-hidden' : 'results-title'}
              id="results"
              tabindex={-1}
              data-announce={[all, shown].filter(Boolean).join(words.say.comma)}
              data-counts
            >
              {all}
              {shown === undefined ? null : (
                <span class="results-range">
                  {words.say.comma}
                  {shown}
                </span>
              )}
            </h2>
            <OwnLanguage productId={productId} parameters={parameters} facets={isNarrow ? null : facets} />
            {isNarrow ? null : (
              <a class="button button-quiet write-link" href="#write-form">
                {words.say.results.write}
              </a>
            )}
            <ActiveFilters productId={productId} parameters={parameters} />
          </div>
          {planFirst ? plan : null}
          {highlights === undefined || page.items.length === 1 ? null : (
            <HighlightStrip highlights={highlights} shown={page.items.map(({ id }) => id)} />
          )}
          {props.photos === undefined ? null : <PhotoStrip productId={productId} {...props.photos} />}
          {page.items.length === 0 ? (
            <EmptyList productId={productId} parameters={parameters} page={page} relaxations={relaxations} />
          ) : (
            <div class="sheet comments">
              {page.items.map((comment) => (
                <CommentCard comment={comment} isNew={comment.id === posted?.posted.id} voting={props.voting} />
              ))}
            </div>
          )}
          <PagesNav productId={productId} parameters={parameters} page={page} numbered={numbered} />
          <WriteSection productId={productId} own={props.own} notice={props.notice} {...form} open={isBare} />
          {planFirst ? null : plan}
        </div>
      </div>
    </Document>
  )
}

/**
 * Says how many comments there are and which of them are shown, as far as is known: statistics count all, and a whole list on one page counts
 * itself.
 */
function summaryOf(page: Page<ShownComment>, { count, number, say }: Words): readonly [all: string, shown?: string] {
  const { length } = page.items
  const { cursors } = page
  const range = shownRange(page)
  if (range !== undefined && page.page.number !== 1 && page.page.total !== null) {
    return [count(page.page.total, 'comment'), say.results.range(number(range.first), number(range.last))]
  }
  if (page.page.total !== null && lastPageBefore(page.page) !== undefined) {
    return [count(page.page.total, 'comment'), say.results.noneOnPage]
  }
  const total = page.page.total ?? (cursors.next === null && cursors.previous === null ? length : null)
  if (total === 0) return [say.results.none]
  if (total === null) return length === 0 ? [say.results.noneHere] : [say.results.shown(count(length, 'comment'))]
  return length === total ? [count(total, 'comment')] : [count(total, 'comment'), say.results.shown(number(length))]
}

/**
 * Returns the canonical address. A page by number keeps its list's own address; one by cursor has none: its items move, and no other page shows
 * them.
 */
function canonicalPath(
  productId: string,
  parameters: ListParameters,
  { page: { number } }: Page<ShownComment>,
): string | undefined {
  return number === null ? undefined : pagePath(productId, { ...parameters, explain: false }, number)
}

function isListed(page: Page<ShownComment>, posted: ShownComment): boolean {
  return page.items.some(({ id }) => id === posted.id)
}
