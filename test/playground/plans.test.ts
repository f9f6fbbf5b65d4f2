import type { StandardSchemaV1 } from '@standard-schema/spec'
import fc from 'fast-check'
import {
  anyOf,
  type Collection,
  createLapidary,
  defineCollection,
  eachOf,
  type Item,
  indexes,
  type Lapidary,
  nativeKeys,
  oneOf,
  powerSet,
} from 'lapidary'
import { importItems } from 'lapidary/transfer'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DataGiven } from '../../site/playground/question.ts'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../engines/index.ts'
import { type BuiltPlayground, buildPlayground } from './built.ts'

/** The scope of the items that the playground supposes. */
const SCOPE = 'scope-00000001'
/** The line of a plan goes by counts of the last second, which reading them again takes. */
const LATER_MS = 2_000

const [engine] = testEngines()
if (engine === undefined) throw new Error('there is no engine')
const client = createTestClient(engine)
const tables: string[] = []
let playground: BuiltPlayground
beforeAll(async () => {
  playground = await buildPlayground()
}, 600_000)
afterAll(() => dropTables(client, tables))

/** A facet as a declaration writes it, and the values that queries ask for. */
interface DrawnFacet {
  readonly code: string
  readonly values: readonly (string | number)[]
  readonly isEach: boolean
  readonly isOpen: boolean
}

const closed = fc.constantFrom<readonly (string | number)[]>(['a', 'b'], [1, 2, 3], ['OPEN', 'SENT', 'DONE', 'LOST'])
const facet: fc.Arbitrary<DrawnFacet> = fc.oneof(
  fc.constant({ code: 'oneOf()', values: ['en', 'de'], isEach: false, isOpen: true }),
  fc.constant({ code: "anyOf('number')", values: [5, 7], isEach: false, isOpen: true }),
  fc
    .tuple(closed, fc.constantFrom('oneOf', 'anyOf'), fc.boolean(), fc.boolean())
    .map(([values, kind, optional, counted]) => ({
      code: `${kind}(${JSON.stringify(values)}, { optional: ${optional}, counted: ${counted} })`,
      ...{ values, isEach: false, isOpen: false },
    })),
  closed.map((values) => ({ code: `eachOf(${JSON.stringify(values)})`, values, isEach: true, isOpen: false })),
)

/** An edit replaces at most as many entries as it writes, and one transaction takes 99: the library refuses more. */
const MOST_ENTRIES = 48
const mostEntriesOf = ({ code, values }: DrawnFacet) => (code.startsWith('anyOf') ? 2 ** values.length : 2)

const NAMES = ['first', 'second', 'third'] as const

/** A declaration with the facets that it has. */
const declared = fc
  .record({
    facets: fc.array(facet, { minLength: 1, maxLength: 3 }),
    chosen: fc.array(fc.subarray([...NAMES]), { maxLength: 3 }),
    sort: fc.boolean(),
    layout: fc.constantFrom('indexes()', 'indexes()', 'powerSet()'),
    maxSources: fc.constantFrom(4, 32),
    itemBytes: fc.constantFrom(200, 700, 5_000),
  })
  .map(({ facets, chosen, sort, layout, maxSources, itemBytes }) => {
    const names = NAMES.slice(0, facets.length)
    const isPowerSet =
      layout === 'powerSet()' &&
      facets.every(({ isEach, code }) => !isEach && !code.startsWith("anyOf('number'")) &&
      facets.reduce((entries, each) => entries * mostEntriesOf(each), 1) <= MOST_ENTRIES
    const own = chosen.map((of, i) => {
      const partition = of.filter((name) => names.includes(name))
      const sorted = sort && partition.length > 1 ? `, sort: ['${partition.pop()}']` : ''
      return `index${i}: { partition: ${JSON.stringify(partition)}${sorted} }`
    })
    const indexCode = isPowerSet || own.length === 0 ? '' : `indexes: { all: {}, ${own.join(', ')} },`
    return {
      facets,
      layout: isPowerSet ? layout : 'indexes()',
      maxSources,
      code: `const things = defineCollection({
        name: 'THING', schema, id: 'id', scope: { name: 'OWNER', attribute: 'owner' }, order: 'at',
        facets: { ${facets.map(({ code }, i) => `${names[i]}: ${code}`).join(', ')} }, itemBytes: ${itemBytes}, ${indexCode}
      })`,
    }
  })

type Declared = typeof declared extends fc.Arbitrary<infer D> ? D : never

const queryOf = ({ facets }: Declared): fc.Arbitrary<Item> => {
  const asked = facets.map(({ values, code }) => {
    const some = fc.subarray([...values], { minLength: 1 })
    const one = fc.constantFrom(...values)
    return fc.option(code.startsWith('oneOf') ? one : fc.oneof(one, some), { nil: undefined })
  })
  return fc
    .record({
      wanted: fc.tuple(...asked),
      not: fc.option(fc.nat(facets.length - 1), { nil: undefined }),
      limit: fc.integer({ min: 1, max: 40 }),
      order: fc.constantFrom('newest', 'oldest'),
    })
    .map(({ wanted, not, limit, order }) => {
      const where = Object.fromEntries(wanted.flatMap((value, i) => (value === undefined ? [] : [[NAMES[i], value]])))
      const [value] = not === undefined ? [] : (facets[not]?.values ?? [])
      const without = value === undefined ? {} : { NOT: { [NAMES[not ?? 0] ?? '']: value } }
      return { scope: SCOPE, where: { ...where, ...without }, limit, order }
    })
}

const situation = declared.chain((each) =>
  fc.record({
    declared: fc.constant(each),
    queries: fc.array(queryOf(each), { minLength: 2, maxLength: 3 }),
    counts: fc.boolean(),
    items: fc.integer({ min: 1, max: 60 }),
    weights: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 15, maxLength: 15 }),
  }),
)

test('a plan is the one that explain gives on a table with the same items', async () => {
  await fc.assert(
    fc.asyncProperty(
      situation,
      async ({ declared: { code, facets, layout, maxSources }, queries, counts, items, weights }) => {
        const shares = Object.fromEntries(
          facets.map(({ values, isEach }, f) => [
            NAMES[f],
            Object.fromEntries(values.map((value, i) => [String(value), (weights[5 * f + i] ?? 0) / (isEach ? 9 : 1)])),
          ]),
        )
        const data: DataGiven = { items, counts, shares }
        const options = `{ tableName: 'things', collections: { things }, layout: ${layout}, maxSources: ${maxSources} }`
        const declaration = `const schema = undefined\n${code}\nconst lapidary = createLapidary(${options})`
        // The values that the first query names are known of each facet.
        const questions = queries.map((query) => ({
          ...{ declaration, data },
          query: `lapidary.things.list(${JSON.stringify(query)})`,
        }))
        const [first] = questions
        if (first === undefined) return
        const typical = await playground.supposedItems(first)
        const clock = { now: Date.UTC(2026, 0, 1) }
        const tableName = uniqueTableName()
        const open = (): Lapidary<{ things: Collection<Item> }> =>
          createLapidary({
            ...{ client, tableName, collections: { things: collectionOf(code) }, cursorSecret: 'of this test alone' },
            ...{ layout: { 'indexes()': indexes(), 'powerSet()': powerSet() }[layout] ?? indexes(), maxSources },
            ...{ derived: { counts }, stream: { immediate: true }, clock: () => clock.now },
          }) as Lapidary<{ things: Collection<Item> }>
        const writer = open()
        await writer.table.create()
        tables.push(tableName)
        await importItems(writer.things, copies(typical), { derived: 'now' })
        for (const [i, query] of queries.entries()) {
          const question = questions[i]
          // Queries that name other values would suppose other items.
          if (
            question === undefined ||
            JSON.stringify(await playground.supposedItems(question)) !== JSON.stringify(typical)
          )
            continue
          const answer = await playground.ask(question)
          expect(answer.problem).toBeUndefined()
          const { things } = open()
          // A process that has counts and has read nothing else.
          await things.plan(query as never)
          clock.now += LATER_MS
          const { text, lists, estimated, rejected, basis } = await things.explain(query as never)
          const { explained } = answer.plan ?? {}
          expect({ text: explained?.text, lists: explained?.lists, estimated: explained?.estimated }).toEqual({
            text,
            lists,
            estimated,
          })
          expect(explained?.rejected).toEqual(JSON.parse(JSON.stringify(rejected)))
          expect(explained?.basis).toBe(basis)
        }
      },
    ),
    { numRuns: 20 },
  )
})

const schema: StandardSchemaV1<unknown, Item> = {
  '~standard': { version: 1, vendor: 'lapidary', validate: (value) => ({ value: value as Item }) },
}

/** Runs the same text with the library of this test. */
function collectionOf(code: string): Collection<Item> {
  const names = { anyOf, defineCollection, eachOf, nativeKeys, oneOf, schema }
  return new Function(...Object.keys(names), `${code}; return things`)(...Object.values(names)) as Collection<Item>
}

/** Makes as many items of each kind as there are, with ids and times of the same length. */
function copies(typical: readonly { readonly item: Item; readonly items: number }[]): readonly Item[] {
  let made = 0
  return typical.flatMap(({ item, items }) =>
    Array.from({ length: items }, () => {
      made += 1
      const id = `01JXB0QR1RYGA95JZ7Q6P${String(made).padStart(5, '0')}`
      return { ...item, id, at: new Date(Date.UTC(2026, 0, 1) + made * 1_000).toISOString() }
    }),
  )
}
