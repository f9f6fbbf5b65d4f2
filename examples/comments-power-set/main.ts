/**
 * Comments by power set: each is duplicated for every set of ratings that its own is in, for its language and for any, so that every
 * filter is one list, read at the least price that there is. What that takes is written, and printed, too.
 */
import { anyOf, defineCollection, lookup, oneOf, powerSet, powerSetSize } from 'lapidary'
import { z } from 'zod'
import { forEach, openExample, show } from '../example.ts'

const RATINGS = [1, 2, 3, 4, 5] as const
const LANGUAGES = ['en', 'de', 'fr'] as const

const comments = defineCollection({
  name: 'COMMENT',
  schema: z.object({
    id: z.string(),
    productId: z.string(),
    language: z.enum(LANGUAGES),
    rating: z.literal(RATINGS),
    createdAt: z.string(),
    title: z.string(),
    text: z.string().optional(),
  }),
  id: 'id',
  scope: { name: 'PRODUCT', attribute: 'productId' },
  order: 'createdAt',
  facets: { language: oneOf(LANGUAGES), rating: anyOf(RATINGS) },
  // Lists show the title; the text is only in the comment itself, so its duplicates are compact.
  attributes: {
    ...{ id: 'i', productId: 'p', language: 'l', rating: 'r', createdAt: 'c', title: 't' },
    text: lookup('x'),
  },
  itemBytes: 150,
})

const all = Array.from({ length: 60 }, (_, i) => ({
  id: `c${1000 + i}`,
  productId: '42',
  language: LANGUAGES[(i * 7) % 5 === 0 ? 1 : i % 11 === 3 ? 2 : 0] as (typeof LANGUAGES)[number],
  rating: RATINGS[(i * i) % 5] as (typeof RATINGS)[number],
  createdAt: new Date(Date.UTC(2024, 0, 1) + i * 3_600_000).toISOString(),
  title: `Comment number ${i}`,
}))
const newestFirst = all.toReversed()

await using database = await openExample({ comments }, { layout: powerSet() })
const { lapidary } = database
await forEach(all, (comment) => lapidary.comments.create({ ...comment, text: 'It works as it should. '.repeat(20) }))

const { entries, units } = powerSetSize(comments)
console.log(`Each comment has ${entries} entries: ${units} write units, twice that in the transaction that writes them`)

const wanted = [
  { language: 'en', rating: [1, 2, 5] },
  { language: undefined, rating: [4, 5] },
  { language: 'de', rating: undefined },
  { language: undefined, rating: undefined },
] as const
for (const { language, rating } of wanted) {
  await show(
    `Comments in ${language ?? 'any language'} rated ${rating?.join(', ') ?? 'anything'}: one list`,
    (cursor) => lapidary.comments.list({ scope: '42', where: { language, rating }, cursor }),
    newestFirst.filter(
      (comment) =>
        (language === undefined || comment.language === language) &&
        (rating === undefined || (rating as readonly number[]).includes(comment.rating)),
    ),
  )
}

await lapidary.comments.patch('c1059', { rating: 3, language: 'de' })
await show(
  'The newest comment, rated 3 and in German now, has moved: one transaction',
  (cursor) => lapidary.comments.list({ scope: '42', where: { language: 'de', rating: [2, 3] }, cursor }),
  newestFirst
    .map((comment) => (comment.id === 'c1059' ? { ...comment, rating: 3, language: 'de' } : comment))
    .filter(({ language, rating }) => language === 'de' && (rating === 2 || rating === 3)) as typeof newestFirst,
)
