import { Document, ProductSearch } from './document.tsx'
import { Leaderboard } from './leaderboard.tsx'
import type { RankedProduct } from './settings.ts'

/** The front page: what this is, and a way to a product. */
export function HomePage({ popular }: { popular: readonly RankedProduct[] }) {
  return (
    <Document
      title="Lapidary: product comments"
      description="Product comments filtered by language and rating, read from DynamoDB at the cost of a key look-up."
      canonical="/"
      searchable={false}
    >
      <div class="hero">
        <div class="wide hero-inner">
          <h1>Every facet of a product’s comments.</h1>
          <p class="hero-lead">
            Filter by language and any set of ratings, page through millions, and see what each list cost: a key look-up
            in DynamoDB, never a scan.
          </p>
          <ProductSearch id="product" />
        </div>
      </div>
      <div class="wide home-body">{popular.length === 0 ? null : <Leaderboard entries={popular} />}</div>
    </Document>
  )
}
