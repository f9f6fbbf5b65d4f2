import { sortableId } from 'lapidary'
import type { Comment } from '../comment.ts'
import type { LanguageTexts, Rating } from './language-texts.ts'
import { LANGUAGES } from './languages.ts'
import { createCatalogue, type Product } from './products.ts'
import { createRandom, mixedSeed, type Random } from './random.ts'
import { makeReception } from './reception.ts'
import { commentDays, HOUR_MS, HOURS_OF_DAY } from './times.ts'
import { makeAuthor, makeText, makeTitle } from './wording.ts'

/** Options of the generator. */
export interface GenerateOptions {
  readonly products: number
  readonly comments: number
  /** The seed: the same seed gives the same comments. */
  readonly seed: number
}

/** The author and the product of a comment, before its text. */
interface Draft {
  readonly product: Product
  readonly texts: LanguageTexts
  time: number
}

const SAME_MILLISECOND = 0.04
const EDITED = 0.05
const PROMOTED_DAYS = 0.03
const LONGEST_EDIT_MS = 30 * 24 * HOUR_MS

/**
 * Generates lifelike comments, oldest first, the same for the same options: popular products (the most popular is 42), J-shaped ratings that
 * vary with the product, texts that go with rating, product and language, sales days, ties in time to the millisecond, and some that were
 * edited.
 */
export function* generateComments({ products, comments, seed }: GenerateOptions): Generator<Comment> {
  const random = createRandom(mixedSeed(seed, 0))
  const reception = createRandom(mixedSeed(seed, 3))
  const catalogue = createCatalogue(products, seed)
  for (const { day, count } of commentDays(comments)) {
    const promoted = random.chance(PROMOTED_DAYS) ? catalogue.draw(random) : undefined
    const drafts: Draft[] = []
    for (let i = 0; i < count; i++) {
      const previous = drafts.at(-1)
      if (previous !== undefined && random.chance(SAME_MILLISECOND)) {
        drafts.push({ ...draftOf(previous.product, day, random), time: previous.time })
      } else {
        const product = promoted !== undefined && random.chance(0.4) ? promoted : catalogue.draw(random)
        drafts.push(draftOf(product, day, random))
      }
    }
    drafts.sort((a, b) => a.time - b.time)
    for (const draft of drafts) yield written(draft, random, reception)
  }
}

function draftOf(product: Product, day: number, random: Random): Draft {
  const texts = (LANGUAGES[random.weighted(product.languages)] ?? LANGUAGES[0])?.texts as LanguageTexts
  const hour = random.weighted(HOURS_OF_DAY) - texts.utcOffset
  return { product, texts, time: day + hour * HOUR_MS + random.whole(0, HOUR_MS - 1) }
}

function written({ product, texts, time }: Draft, random: Random, reception: Random): Comment {
  const rating = (random.weighted(product.ratings) + 1) as Rating
  const edited = random.chance(EDITED)
  const id = sortableId(time, random.next)
  const title = makeTitle(texts, rating, random)
  const text = makeText(texts, product.kind, rating, random)
  return {
    id,
    productId: product.id,
    language: texts.tag,
    rating,
    title,
    text,
    author: makeAuthor(texts, random),
    createdAt: new Date(time).toISOString(),
    updatedAt: edited ? new Date(time + random.whole(60_000, LONGEST_EDIT_MS)).toISOString() : null,
    version: edited ? 2 : 1,
    ...makeReception({ rating, text, time }, texts, reception),
  }
}
