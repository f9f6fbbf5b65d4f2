import * as z from 'zod'
import type { View } from './view.ts'

const number: z.ZodType = z.union([z.number(), z.string()]).meta({
  description: 'A text with all digits where the attribute’s numbers are decimals or bigints.',
})
const summed: z.ZodType = z.object({
  sum: number,
  average: z.union([number, z.null()]),
  count: z.int().meta({ description: 'How many of the items have the attribute.' }),
  minimum: z.union([number, z.null()]).optional(),
  maximum: z.union([number, z.null()]).optional(),
})
const asOf: z.ZodType = z
  .string()
  .nullable()
  .meta({ description: 'The time up to which changes are counted; null while nothing is known.' })

/** Makes the schema of a collection's counts. */
export function countsSchema({ collection: { facets } }: View, one: string): z.ZodType {
  const sums = z.record(z.string(), summed)
  const values = z.record(z.string(), z.int())
  return z
    .object({
      total: z.int().nullable().meta({ description: 'Null while it is not known, or the counts are too far behind.' }),
      facets: z
        .object(Object.fromEntries(Object.keys(facets).map((facet) => [facet, values])))
        .partial()
        .nullable()
        .meta({
          description: 'Counts by value, each facet’s not narrowed by its own selection. Null while not known.',
        }),
      sums: sums.nullable(),
      series: z
        .array(z.object({ from: z.string(), total: z.int(), sums }))
        .nullable()
        .meta({ description: 'The parts of the time line, where `every` asks for one.' }),
      unknown: z.string().nullable().meta({
        description: 'Why nothing is known: `absent`, `filling`, `abandoned`, `gap` or `uncounted`. Null where it is.',
      }),
      asOf,
    })
    .meta({ id: `${one}Counts` })
}

/** Makes the schema of a page of a collection's leaderboards. */
export function boardSchema(one: string): z.ZodType {
  return z
    .object({
      entries: z
        .array(
          z.object({
            scope: z.string(),
            count: z.int(),
            rank: z.int(),
            sum: number.optional(),
            average: number.optional(),
          }),
        )
        .nullable()
        .meta({ description: 'Null while the board is not known, as while it is being made.' }),
      cursors: z.object({ next: z.string().nullable().meta({ description: 'Null exactly at the end.' }) }),
      asOf,
    })
    .meta({ id: `${one}Board` })
}
