import { Document } from './document.tsx'
import { FeaturedProduct } from './featured-product.tsx'
import { type Leader, Leaderboard } from './leaderboard.tsx'
import { useWords } from './reader.ts'
import { ProductSearch } from './search/product-search.tsx'

export interface HomePageProps {
  /** The language of the leaderboard; undefined = any. */
  readonly language: string | undefined
  /** The leaders; null while the leaderboard is being made. */
  readonly leaders: readonly Leader[] | null
  readonly asOf: string | null
  /** RCU of the leaderboard. */
  readonly rcu: number
}

/** Shows the front page: an introduction, the best product at a glance, and the way to any other. */
export function HomePage({ language, leaders, asOf, rcu }: HomePageProps) {
  const { home } = useWords().say
  const [first] = leaders ?? []
  return (
    <Document title={home.title} description={home.description} canonical="/" searchable={false}>
      <div class="hero">
        <div class={first === undefined ? 'wide hero-inner hero-gem' : 'wide hero-inner'}>
          <div>
            <h1>{home.heading}</h1>
            <p class="hero-lead">{home.lead}</p>
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
