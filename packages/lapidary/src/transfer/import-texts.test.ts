import { defineCollection, oneOf } from 'lapidary'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { convertTexts, noConversions } from './import-texts.ts'

const base = { id: z.string(), board: z.string(), at: z.string() }
const collection = defineCollection({
  name: 'LABEL',
  schema: z.discriminatedUnion('kind', [
    z.object({ ...base, kind: z.literal('a'), hint: z.null() }),
    z.object({ ...base, kind: z.literal('b'), hint: z.string().optional() }),
  ]),
  id: 'id',
  scope: { name: 'BOARD', attribute: 'board' },
  order: 'at',
  facets: { kind: oneOf(['a', 'b']) },
})

test.each([['ab'], ['ba']])('an empty cell means the same whatever rows come before it: %s', async (kinds) => {
  const conversions = noConversions()
  const hints: Record<string, unknown> = {}
  for (const kind of kinds) {
    const texts = { id: kind, board: '1', at: '2024-01-01T00:00:00.000Z', kind, hint: undefined }
    hints[kind] = (await convertTexts(collection, texts, conversions, (item) => item)).hint
  }
  expect(hints).toEqual({ a: null, b: undefined })
})
