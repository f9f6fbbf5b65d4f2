import { type AttributeValue, QueryCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import {
  anyOf,
  createLapidary,
  defineCollection,
  type Item,
  increment,
  indexes,
  LapidaryError,
  type Layout,
  oneOf,
  powerSet,
} from 'lapidary'
import { packed } from 'lapidary/codecs'
import { chosenSeed } from 'lapidary-testing'
import { describe, expect, test } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import { canonicalText, type Entry } from '../../src/model/entry.ts'
import { toNativeValue } from '../../src/model/native-value.ts'
import { PACKED_NAMES } from '../../src/model/reserved-names.ts'
import { schemaOf } from '../comments-fixture.ts'
import { manyEntries } from '../conformance/many-entries.ts'
import { attributeValues } from './attribute-values.ts'

const seed = chosenSeed(process.env.FC_SEED)
const runs = Number(process.env.FC_RUNS ?? 5)
console.info(`kept values: FC_SEED=${seed} FC_RUNS=${runs}`)

/** Attributes that another program writes. */
const OTHERS = ['a', 'b', 'constructor', 'c'] as const
const options = {
  ...{ name: 'NOTE', schema: schemaOf<Item>(), id: 'id', order: 'createdAt' },
  scope: { name: 'BOOK', attribute: 'book' },
  facets: { language: oneOf(['en', 'de']), stars: anyOf([1, 2, 3]) },
} as const
const short = { id: 'i', book: 'b', createdAt: 'c', language: 'l', stars: 'r', title: 't', votes: 'v' }
const attributes = { ...short, a: 'x', b: 'y', constructor: 'toString', c: 'z' } as never
const base: Item = { id: '1', book: '7', createdAt: '2026-01-01T00:00:00.000Z', language: 'en', stars: 3, title: 'One' }

const LAYOUTS: readonly (readonly [name: string, layout: Layout])[] = [
  ['indexes', indexes()],
  ['power set', powerSet()],
  ['several entries', manyEntries()],
]
const step = fc.constantFrom(
  'patch',
  'facet',
  'increment',
  'blind',
  'replace',
  'touch',
  'condition',
  'backfill',
  'remove',
)

describe.each(testEngines())('on $name', (engine) => {
  test.each(LAYOUTS)('what a change does not name stays as it is stored, %s', async (_, layout) => {
    const client = createTestClient(engine)
    const tables: string[] = []
    try {
      for (const isShort of [false, true]) {
        for (const codec of [undefined, packed()]) {
          const tableName = uniqueTableName()
          tables.push(tableName)
          const declared = isShort ? { ...options, attributes } : options
          const notes = defineCollection((codec === undefined ? declared : { ...declared, codec }) as typeof options)
          const lapidary = createLapidary({
            client,
            tableName,
            collections: { notes },
            layout,
            cursorSecret: 'a secret of the tests',
          })
          await lapidary.table.create()
          const stored = (name: string): string => lapidary.notes.context.codec.storedName(name)
          let next = 0
          await fc.assert(
            fc.asyncProperty(
              fc.record(Object.fromEntries(OTHERS.map((name) => [name, attributeValues])), { requiredKeys: [] }),
              fc.array(step, { minLength: 1, maxLength: 4 }),
              async (values, steps) => {
                const id = `n${next++}`
                await lapidary.notes.create({ ...base, id } as never)
                await writeAttributes(id, values as Record<string, AttributeValue>)
                const before = await entries(id)
                for (const [i, name] of steps.entries()) await take(name, id, i)
                for (const name of OTHERS) {
                  const value = primaryOf(before)[stored(name)]
                  for (const entry of await entries(id)) {
                    // The codec packs it with what did change, where that makes the item smaller.
                    const isPacked = entry[stored(name)] === undefined && PACKED_NAMES.some((packed) => entry[packed])
                    if (value !== undefined && isPacked)
                      expect(((await lapidary.notes.get(id)) as Item)[name], name).toEqual(toNativeValue(value))
                    else expect(textOf(entry[stored(name)]), `${name} of ${entry.SK?.S}`).toBe(textOf(value))
                  }
                }
              },
            ),
            { seed, numRuns: runs },
          )

          async function writeAttributes(id: string, values: Record<string, AttributeValue>): Promise<void> {
            const names = Object.keys(values)
            if (names.length === 0) return
            const { Key } = keyOf(id)
            await client.send(
              new UpdateItemCommand({
                ...{ TableName: tableName, Key },
                UpdateExpression: `SET ${names.map((_, i) => `#n${i} = :v${i}`).join(', ')}`,
                ExpressionAttributeNames: Object.fromEntries(names.map((name, i) => [`#n${i}`, stored(name)])),
                ExpressionAttributeValues: Object.fromEntries(
                  names.map((name, i) => [`:v${i}`, values[name] as AttributeValue]),
                ),
              }),
            )
            // Other entries of the item follow what another program wrote.
            if (layout.name !== 'indexes') await lapidary.table.backfill()
            if (layout.name !== 'indexes') await lapidary.notes.patch(id, { language: 'de' } as never)
          }

          async function take(
            name: typeof step extends fc.Arbitrary<infer T> ? T : never,
            id: string,
            i: number,
          ): Promise<void> {
            const found = await lapidary.notes.get(id).catch((error: unknown) => {
              if (error instanceof LapidaryError && error.code === 'table_mismatch') return undefined
              throw error
            })
            const change = { title: `Two ${i}` } as never
            if (name === 'patch') await lapidary.notes.patch(id, change)
            if (name === 'facet')
              await lapidary.notes.patch(id, { language: i % 2 === 0 ? 'de' : 'en', stars: (i % 3) + 1 } as never)
            if (name === 'increment') await lapidary.notes.patch(id, { votes: increment(0.1) } as never)
            if (name === 'blind') await lapidary.notes.patch(id, { votes: increment(1e-10, { blind: true }) } as never)
            if (name === 'touch') await lapidary.notes.patch(id, {})
            if (name === 'remove') await lapidary.notes.patch(id, { title: undefined } as never)
            if (name === 'backfill') await lapidary.table.backfill()
            if (found === undefined) return
            if (name === 'replace') await lapidary.notes.replace({ ...(found as object), title: `Three ${i}` } as never)
            if (name === 'condition') await lapidary.notes.patch(id, change, { if: { a: (found as Item).a } as never })
          }

          async function entries(id: string): Promise<readonly Entry[]> {
            const { Items = [] } = await client.send(
              new QueryCommand({
                ...{ TableName: tableName, KeyConditionExpression: 'PK = :p', ConsistentRead: true },
                ExpressionAttributeValues: { ':p': { S: `NOTE#${id}` } },
              }),
            )
            return Items
          }
        }
      }
    } finally {
      await dropTables(client, tables)
      client.destroy()
    }
  })
})

function keyOf(id: string): { readonly Key: Record<string, AttributeValue> } {
  return { Key: { PK: { S: `NOTE#${id}` }, SK: { S: '~' } } }
}

function primaryOf(entries: readonly Entry[]): Entry {
  return entries.find(({ SK }) => SK?.S === '~') ?? {}
}

function textOf(value: AttributeValue | undefined): string {
  return value === undefined ? 'absent' : canonicalText(value)
}
