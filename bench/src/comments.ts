import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { anyOf, defineCollection, oneOf } from 'lapidary'
import { pick, type Random } from './random.ts'

/** A comment as the benches list it. */
export interface Comment {
  readonly id: string
  readonly productId: string
  readonly language: string
  readonly rating: number
  readonly text: string
  readonly createdAt: string
}

/** Shares of the ratings: the J shape of review sites. */
export const RATING_SHARES = [
  [5, 0.55],
  [4, 0.2],
  [3, 0.08],
  [2, 0.05],
  [1, 0.12],
] as const

export const LANGUAGE_SHARES = [
  ['en', 0.5],
  ['de', 0.2],
  ['es', 0.15],
  ['fr', 0.1],
  ['ja', 0.05],
] as const

/** Bytes of an index entry. */
export const ENTRY_BYTES = 500

export const PRODUCT = '42'

/** Takes comments as they are: what validation costs is the validator's own affair. */
const commentSchema = {
  '~standard': {
    version: 1,
    vendor: 'bench',
    validate: (value: unknown) => ({ value: value as Comment }),
    types: undefined as { readonly input: unknown; readonly output: Comment } | undefined,
  },
} as const

/** The collection of the benches: two facets, short stored names, indexes that hold what a list shows. */
export const comments = defineCollection({
  name: 'COMMENT',
  schema: commentSchema,
  id: 'id',
  scope: { name: 'PRODUCT', attribute: 'productId' },
  order: 'createdAt',
  facets: {
    language: oneOf(undefined, { frequencies: Object.fromEntries(LANGUAGE_SHARES) }),
    rating: anyOf([1, 2, 3, 4, 5], { frequencies: Object.fromEntries(RATING_SHARES) }),
  },
  attributes: { id: 'i', productId: 'p', language: 'l', rating: 'r', text: 'x', createdAt: 'c' },
  itemBytes: ENTRY_BYTES,
})

/** The same with ratings from 1 to another number and in another mix, and nothing said of what an entry weighs. */
export function commentsOf(values: number, mix: readonly (readonly [number, number])[]) {
  return defineCollection({
    name: 'COMMENT',
    schema: commentSchema,
    id: 'id',
    scope: { name: 'PRODUCT', attribute: 'productId' },
    order: 'createdAt',
    facets: {
      language: oneOf(undefined, { frequencies: Object.fromEntries(LANGUAGE_SHARES) }),
      rating: anyOf(
        Array.from({ length: values }, (_, i) => i + 1),
        { frequencies: Object.fromEntries(mix) },
      ),
    },
    attributes: { id: 'i', productId: 'p', language: 'l', rating: 'r', text: 'x', createdAt: 'c' },
  })
}

/** Entry bytes that are not the text: names and values of keys, id, times; measured on the widest index. */
const BYTES_BESIDE_TEXT = 119

/** Comments of one product in order of time, a second to an hour apart; `first` and `after` go on where others end. */
export function generateComments(
  count: number,
  random: Random,
  { varied = false, prefix = 'c', first = 0, after = Date.UTC(2015, 0, 1) } = {},
): Comment[] {
  let time = after
  return Array.from({ length: count }, (_, i) => {
    time += 1_000 + Math.floor(random() * 3_600_000)
    const textBytes = ENTRY_BYTES - BYTES_BESIDE_TEXT
    return {
      id: `${prefix}${String(first + i).padStart(7, '0')}`,
      productId: PRODUCT,
      language: pick(LANGUAGE_SHARES, random),
      rating: pick(RATING_SHARES, random),
      text: 'x'.repeat(varied ? Math.round(textBytes * (0.4 + 1.2 * random())) : textBytes),
      createdAt: new Date(time).toISOString(),
    }
  })
}

/** Bytes of an entry as DynamoDB counts them: names and texts in UTF-8, numbers a byte for two digits plus one. */
export function entryBytes(entry: Readonly<Record<string, AttributeValue>>): number {
  let bytes = 0
  for (const [name, { S, N, BOOL }] of Object.entries(entry)) {
    bytes += BOOL === undefined ? 0 : Buffer.byteLength(name) + 1
    if (BOOL !== undefined) continue
    if (S === undefined && N === undefined) throw new Error(`the bench stores no attribute like ${name}`)
    bytes += Buffer.byteLength(name) + (S === undefined ? Math.ceil((N ?? '').length / 2) + 1 : Buffer.byteLength(S))
  }
  return bytes
}
