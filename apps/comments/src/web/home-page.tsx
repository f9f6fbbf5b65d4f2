import { Document, ProductSearch } from './document.tsx'
import { FeaturedProduct } from './featured-product.tsx'
import { type Leader, Leaderboard } from './leaderboard.tsx'

export interface HomePageProps {
  /** Of the leaderboard; undefined = any. */
  readonly language: string | undefined
  readonly leaders: readonly Leader[]
  readonly asOf: string | null
  /** What the leaderboard took. */
  readonly rcu: number
}

/** The front page: what this is, the best product at a glance, and the way to any other. */
export function HomePage({ language, leaders, asOf, rcu }: HomePageProps) {
  const [first] = leaders
  return (
    <Document
      title="Lapidary: product comments"
      description="Product comments filtered by language and rating, read from DynamoDB at the cost of a key look-up."
      canonical="/"
      searchable={false}
    >
      <div class="hero">
        <div class={first === undefined ? 'wide hero-inner hero-gem' : 'wide hero-inner'}>
          <div>
            <h1>Every facet of a product’s comments.</h1>
            <p class="hero-lead">
              Read them in any language and any set of ratings, and see what each list cost: a key look-up in DynamoDB,
              never a scan.
            </p>
            <ProductSearch id="product" />
          </div>
          {first === undefined ? null : <FeaturedProduct leader={first} language={language} />}
        </div>
      </div>
      <div class="wide home-body">
        <Leaderboard leaders={leaders} language={language} asOf={asOf} rcu={rcu} />
      </div>
    </Document>
  )
}
