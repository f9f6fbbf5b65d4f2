import { averageRating } from '../product-statistics.ts'
import { AsOf } from './as-of.tsx'
import type { FacetCounts } from './filter-panel.tsx'
import { Stars } from './icons.tsx'
import { average, count, duration, languageName } from './words.ts'

export interface ProductHeadProps {
  readonly productId: string
  /** Undefined = any. */
  readonly language: string | undefined
  readonly facets: FacetCounts
  readonly asOf: string | null
  /** Milliseconds by which the counts are too far behind to be shown. */
  readonly countsBehind?: number | undefined
}

/** Which product this is, and what people think of it on the whole: whatever ratings are chosen, in the language chosen. */
export function ProductHead({ productId, language, facets, asOf, countsBehind }: ProductHeadProps) {
  return (
    <header class="product-head" id="product-head" data-counts>
      <h1>
        Comments on product{' '}
        <span dir="auto" class="product-id">
          {productId}
        </span>
      </h1>
      {facets?.rating === undefined ? null : <Verdict counts={facets.rating} language={language} asOf={asOf} />}
      {countsBehind === undefined ? null : (
        <p class="as-of">Still counting: the counts are {duration(countsBehind)} behind.</p>
      )}
      <a class="button button-quiet" href="#write-form">
        Write a comment
      </a>
    </header>
  )
}

interface VerdictProps {
  readonly counts: Readonly<Record<string, number>>
  readonly language: string | undefined
  readonly asOf: string | null
}

function Verdict({ counts, language, asOf }: VerdictProps) {
  const mean = averageRating(counts)
  if (mean === null) return null
  const total = Object.values(counts).reduce((sum, number) => sum + number, 0)
  return (
    <div class="verdict">
      <span class="average">{average(mean)}</span>
      <Stars rating={mean} label={`Rated ${average(mean)} out of 5 on average`} />
      <span class="verdict-total">
        {count(total, 'comment')}
        {language === undefined ? '' : ` in ${languageName(language)}`}
      </span>
      <span class="as-of">
        <AsOf time={asOf} />
      </span>
    </div>
  )
}
