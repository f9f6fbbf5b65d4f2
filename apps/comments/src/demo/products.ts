import { LANGUAGES } from './languages.ts'
import { PRODUCT_KINDS, type ProductKind } from './product-kinds.ts'
import { createRandom, cumulative, mixedSeed, type Random } from './random.ts'

/** The most popular product of all made-up data. */
export const MOST_POPULAR_PRODUCT = '42'

/** A made-up product. */
export interface Product {
  readonly id: string
  readonly kind: ProductKind
  /** Running sums of the shares of ratings 1 to 5. */
  readonly ratings: Float64Array
  /** Running sums of the shares of the languages. */
  readonly languages: Float64Array
}

/** Products by popularity, the most popular first. */
export interface Catalogue {
  product(rank: number): Product
  /** Draws a product by its popularity. */
  draw(random: Random): Product
}

/** The shares of ratings 1 to 5 over all products: most people write because they are delighted, some because they are furious. */
const RATINGS = [0.12, 0.05, 0.08, 0.2, 0.55]
const POPULARITY_EXPONENT = 0.95
const KEPT = 10_000

/** Makes products whose popularity follows Zipf's law: the product of rank r gets about 1/r of the comments of the first. */
export function createCatalogue(products: number, seed: number): Catalogue {
  const ids = productIds(products, seed)
  const popularity = cumulative(
    Float64Array.from({ length: products }, (_, rank) => (rank + 1) ** -POPULARITY_EXPONENT),
  )
  const kept: Product[] = []
  const product = (rank: number): Product => {
    const known = kept[rank]
    if (known !== undefined) return known
    const made = makeProduct(ids[rank] ?? 0, seed)
    if (rank < KEPT) kept[rank] = made
    return made
  }
  return { product, draw: (random) => product(random.weighted(popularity)) }
}

/** Returns 42, then whole numbers from 1 in a random order. */
function productIds(products: number, seed: number): Uint32Array {
  const random = createRandom(mixedSeed(seed, 1))
  const ids = new Uint32Array(products)
  ids[0] = Number(MOST_POPULAR_PRODUCT)
  for (let i = 1; i < products; i++) ids[i] = i < Number(MOST_POPULAR_PRODUCT) ? i : i + 1
  for (let i = products - 1; i > 1; i--) {
    const j = random.whole(1, i)
    const other = ids[j] ?? 0
    ids[j] = ids[i] ?? 0
    ids[i] = other
  }
  return ids
}

function makeProduct(number: number, seed: number): Product {
  const random = createRandom(mixedSeed(seed, 2, number))
  const tilt = random.normal() * 0.22
  // Every product sells better in some places than in others.
  const home = random.whole(0, LANGUAGES.length - 1)
  return {
    id: String(number),
    kind: number === Number(MOST_POPULAR_PRODUCT) ? 'headphones' : random.pick(PRODUCT_KINDS),
    ratings: cumulative(RATINGS.map((share, i) => share * Math.exp(tilt * (i - 3)))),
    languages: cumulative(
      LANGUAGES.map(({ share }, i) => share * (0.6 + random.next() * 0.8) + (i === home ? 0.08 : 0)),
    ),
  }
}
