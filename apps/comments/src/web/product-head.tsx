import { averageRating } from '../product-statistics.ts'
import type { FacetCounts } from './filter-panel.tsx'
import { Stars } from './icons.tsx'
import { trendPath } from './links.ts'
import { ProductPicture, type ProductShown } from './product-shown.tsx'
import { useWords } from './reader.ts'

export interface ProductHeadProps {
  readonly productId: string
  readonly product: ProductShown | undefined
  /** The language; undefined = any. */
  readonly language: string | undefined
  readonly facets: FacetCounts
  /** The time of the last comment, where that is known. */
  readonly lastCommentedAt?: string | undefined
  /** Milliseconds by which the counts are too far behind to be shown. */
  readonly countsBehind?: number | undefined
  /** Whether the counts are being rebuilt, and not known until then. */
  readonly isUncounted?: boolean
}

/** Shows the product, and its rating as a whole: whatever ratings are chosen, in the chosen language. */
export function ProductHead(props: ProductHeadProps) {
  const { duration, say } = useWords()
  const { productId, product, language, facets, lastCommentedAt, countsBehind, isUncounted = false } = props
  return (
    <header class="product-head" id="product-head" data-counts>
      {product === undefined ? null : <ProductPicture product={product} size={96} />}
      <div class="product-what">
        <ProductTitle productId={productId} product={product} />
        {facets?.rating === undefined ? null : (
          <Verdict counts={facets.rating} language={language} lastCommentedAt={lastCommentedAt} />
        )}
        {facets?.rating === undefined || averageRating(facets.rating) === null ? null : (
          <a class="trend-link" id="trend-link" href={trendPath(productId)} data-trend>
            {say.votes.trend.title}
          </a>
        )}
        {countsBehind === undefined ? null : <p class="as-of">{say.productHead.behind(duration(countsBehind))}</p>}
        {isUncounted ? <p class="as-of">{say.productHead.uncounted}</p> : null}
      </div>
    </header>
  )
}

export function ProductTitle({ productId, product }: Pick<ProductHeadProps, 'productId' | 'product'>) {
  const { say } = useWords()
  const id = (
    <span dir="auto" class="product-id">
      {productId}
    </span>
  )
  if (product === undefined) {
    return (
      <h1>
        <data itemprop="name" value={`${say.productHead.product} ${productId}`}>
          {say.productHead.commentsOn} {id}
        </data>
      </h1>
    )
  }
  return (
    <h1>
      <bdi itemprop="name">{product.name}</bdi>{' '}
      <small class="product-number">
        {say.productHead.product} {id}
      </small>
    </h1>
  )
}

interface VerdictProps extends Pick<ProductHeadProps, 'language' | 'lastCommentedAt'> {
  readonly counts: Readonly<Record<string, number>>
}

function Verdict({ counts, language, lastCommentedAt }: VerdictProps) {
  const { average, count, day, languageName, say } = useWords()
  const mean = averageRating(counts)
  if (mean === null) return null
  const total = Object.values(counts).reduce((sum, number) => sum + number, 0)
  return (
    <p class="verdict" itemprop="aggregateRating" itemscope itemtype="https://schema.org/AggregateRating">
      <data class="average" itemprop="ratingValue" value={mean.toFixed(1)}>
        {average(mean)}
      </data>
      <Stars rating={mean} label={say.ratedOnAverage(average(mean))} />
      <span class="verdict-total">
        <data itemprop="reviewCount" value={String(total)}>
          {count(total, 'comment')}
        </data>
        {language === undefined ? '' : ` ${say.inLanguage(languageName(language))}`}
      </span>
      {lastCommentedAt === undefined ? null : (
        <span class="as-of">
          {say.productHead.lastOn}{' '}
          <time datetime={lastCommentedAt} data-time="day">
            {day(lastCommentedAt)}
          </time>
        </span>
      )}
    </p>
  )
}
