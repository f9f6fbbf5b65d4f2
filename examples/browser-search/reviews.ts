import { defineCollection } from 'lapidary'
import { z } from 'zod'

const schema = z.object({ id: z.string(), productId: z.string(), writtenAt: z.string(), text: z.string() })
export type Review = z.infer<typeof schema>

export const reviews = defineCollection({
  name: 'REVIEW',
  schema,
  id: 'id',
  scope: { name: 'PRODUCT', attribute: 'productId' },
  order: 'writtenAt',
  facets: {},
  itemBytes: 250,
})

const SAID = [
  'Bright and sharp.',
  'The battery lasts two days.',
  'Too heavy for a pocket.',
  'Charges slowly, a weak battery.',
]

/** Few reviews of p1, many of p2. */
export const all: readonly Review[] = [
  ...Array.from({ length: 40 }, (_, i) => review('p1', i)),
  ...Array.from({ length: 600 }, (_, i) => review('p2', i)),
]

function review(productId: string, i: number): Review {
  return {
    ...{ id: `${productId}-${1000 + i}`, productId },
    writtenAt: new Date(Date.UTC(2024, 0, 1) + i * 3_600_000).toISOString(),
    text: `${SAID[i % SAID.length]} ${'It came well packed, with a cable and a short manual. '.repeat(2)}${i}`,
  }
}
