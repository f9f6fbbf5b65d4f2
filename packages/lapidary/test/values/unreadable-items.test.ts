import { UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { anyOf, type Collection, defineCollection, type Item, indexes, type Layout, oneOf, powerSet } from 'lapidary'
import { packed } from 'lapidary/codecs'
import { describe, expect, test } from 'vitest'
import { testEngines } from '../../../../test/engines/index.ts'
import type { EntryCodec } from '../../src/model/entry.ts'
import { createEntryReader } from '../../src/model/entry-reader.ts'
import { PACKED_NAMES } from '../../src/model/reserved-names.ts'
import type { ItemProblem } from '../../src/recount/maintenance-options.ts'
import { valuesProjection } from '../../src/recount/value-inspection.ts'
import { collect } from '../collect.ts'
import { schemaOf } from '../comments-fixture.ts'
import { openTestTable } from '../test-table.ts'

const DIGITS = '12345678901234567890.123456789'
const options = {
  ...{ name: 'NOTE', schema: schemaOf<Item>(), id: 'id', order: 'createdAt' },
  scope: { name: 'BOOK', attribute: 'book' },
  facets: { language: oneOf(['en', 'de']), stars: anyOf([1, 2, 3]) },
  indexes: { all: { scan: true }, byLanguage: { partition: ['language'] } },
} as const
const notes = defineCollection(options)
const noteOf = (i: number): Item => ({
  ...{ id: `n${i}`, book: '7', language: i % 2 === 0 ? 'en' : 'de', stars: (i % 3) + 1 },
  createdAt: new Date(Date.UTC(2026, 0, 1) + i * 1000).toISOString(),
})
/** Every fourth. */
const UNREADABLE = [0, 4, 8, 12, 16]

const LAYOUTS: readonly (readonly [name: string, layout: Layout])[] = [
  ['indexes', indexes()],
  ['power set', powerSet()],
]

describe.each(testEngines())('on $name', (engine) => {
  test.each(LAYOUTS)(
    'pages beside items that can not be read show the others and name them, %s',
    async (name, layout) => {
      const declared = name === 'indexes' ? notes : defineCollection({ ...options, indexes: undefined } as never)
      await using table = await openTestTable(
        engine,
        { notes: declared as typeof notes },
        { layout, derived: { counts: true } },
      )
      const { lapidary, client, tableName } = table
      for (let i = 0; i < 20; i++) await lapidary.notes.create(noteOf(i) as never)
      for (const i of UNREADABLE) await spoil(i)
      if (name !== 'indexes') await lapidary.table.backfill()

      for (const where of [{}, { language: 'en' }, { stars: [1, 3] }] as const) {
        for (const order of ['newest', 'oldest'] as const) {
          for (const limit of [1, 3, 100]) {
            const shown: string[] = []
            const named: string[] = []
            let cursor: string | undefined
            do {
              const page = await lapidary.notes.list({ scope: '7', where, order, limit, cursor } as never)
              // It is full, or the last.
              if (page.cursors.next !== null) expect(page.items).toHaveLength(limit)
              shown.push(...page.items.map(({ id }) => String(id)))
              named.push(...unreadable(page.plan.notes))
              expect(page.plan.limits.length).toBe(page.plan.notes.length)
              cursor = page.cursors.next ?? undefined
            } while (cursor !== undefined)
            const wanted = Array.from({ length: 20 }, (_, i) => noteOf(i)).filter(
              ({ language, stars }) =>
                (!('language' in where) || language === where.language) &&
                (!('stars' in where) || (where.stars as readonly unknown[]).includes(stars)),
            )
            const isLost = ({ id }: Item): boolean => UNREADABLE.includes(Number(String(id).slice(1)))
            const inOrder = order === 'oldest' ? wanted : wanted.toReversed()
            expect(shown).toEqual(inOrder.filter((note) => !isLost(note)).map(({ id }) => id))
            expect(named).toEqual(inOrder.filter(isLost).map(({ id }) => id))
          }
        }
      }

      const { plan } = await lapidary.notes.list({ scope: '7', limit: 100 })
      expect(plan.limits).toContain(
        `left out: "n4" can't be read: its amount is ${DIGITS}, which neither a number nor a bigint of JavaScript holds; declare numbers: { amount: 'decimal' }`,
      )
      await expect(lapidary.notes.get('n4')).rejects.toMatchObject({
        code: 'table_mismatch',
        message: expect.stringMatching(/^NOTE "n4" can't be read: its amount is 12345678901234567890\.1/),
        details: { id: 'n4', attribute: 'amount', number: DIGITS },
      })
      // Chosen attributes are read.
      expect(await lapidary.notes.get('n4', { attributes: ['id'] as never })).toEqual({ id: 'n4' })
      expect((await lapidary.notes.list({ scope: '7', limit: 100, attributes: ['id'] as never })).items).toHaveLength(
        20,
      )

      const given: string[] = []
      const iterated = (async () => {
        for await (const { id } of lapidary.notes.iterate({ scope: '7' })) given.push(String(id))
      })()
      await expect(iterated).rejects.toMatchObject({ code: 'table_mismatch', details: { items: 5 } })
      expect(given).toHaveLength(15)
      if (name === 'indexes') await expect(collect(lapidary.notes.scan('all'))).rejects.toThrow(/NOTE "n\d+" .* 4 more/)
      expect(await lapidary.table.backfill()).toMatchObject({ complete: true, collections: [{ items: 20, unfit: {} }] })

      const { differences, unreadable: count, unreadableItems } = await lapidary.derived.verify({ idleMs: 20 })
      expect([differences, count]).toEqual([[], UNREADABLE.length])
      expect(unreadableItems?.toSorted((a, b) => (a.key.PK < b.key.PK ? -1 : 1))).toEqual(
        UNREADABLE.map((i) => `n${i}`)
          .toSorted()
          .map((id) => ({
            key: { PK: `NOTE#${id}`, SK: '~' },
            reason: expect.stringMatching(`^"${id}" can't be read: its amount is ${DIGITS}, .*declare numbers`),
          })),
      )

      async function spoil(i: number): Promise<void> {
        await client.send(
          new UpdateItemCommand({
            ...{ TableName: tableName, Key: { PK: { S: `NOTE#n${i}` }, SK: { S: '~' } } },
            ...{ UpdateExpression: 'SET amount = :n', ExpressionAttributeValues: { ':n': { N: DIGITS } } },
          }),
        )
      }
    },
  )
})

test('what can not be unpacked is named too, and no more than some', async () => {
  const packing = { ...notes, codec: packed(), numbers: { amount: 'decimal' } } as unknown as Collection
  const found = { unreadable: 0, unreadableItems: [] as ItemProblem[] }
  const read = { collection: packing, codec: createEntryReader(packing) as EntryCodec }
  const values = (await valuesProjection(read, found).inspect?.()) ?? expect.fail('no inspection')
  const [name = ''] = PACKED_NAMES
  const entryOf = (PK: string) => ({ PK: { S: PK }, SK: { S: '~' }, [name]: { B: Buffer.from('odd') } })
  for (let id = 0; id < 25; id++) values.see(entryOf(`NOTE#${id}`), () => {})
  values.see(entryOf('OTHER#1'), () => {})
  expect([found.unreadable, found.unreadableItems.length]).toEqual([25, 20])
  const reason = expect.stringMatching(/^NOTE "NOTE#0" can't be read: /)
  expect(found.unreadableItems[0]).toEqual({ key: { PK: 'NOTE#0', SK: '~' }, reason })
})

function unreadable(notes: readonly { readonly kind: string; readonly id?: string }[]): readonly string[] {
  return notes.flatMap(({ kind, id }) => (kind === 'unreadable' && id !== undefined ? [id] : []))
}
