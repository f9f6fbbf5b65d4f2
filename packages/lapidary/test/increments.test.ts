import {
  type DynamoDBClient,
  GetItemCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import {
  anyOf,
  createLapidary,
  defineCollection,
  type Item,
  increment,
  indexes,
  type Lapidary,
  oneOf,
  type Poller,
} from 'lapidary'
import { chosenSeed, createFaultKit, intercepted, NO_FAULTS } from 'lapidary-testing'
import { describe, expect, test, vi } from 'vitest'
import { testEngines } from '../../../test/engines/index.ts'
import { PATIENCE } from '../../../test/engines/patience.ts'
import { schemaOf } from './comments-fixture.ts'
import { manyEntries } from './conformance/many-entries.ts'
import { openTestTable, type TestTable } from './test-table.ts'

const seed = chosenSeed(process.env.FC_SEED)
const runs = Number(process.env.FC_RUNS ?? 4)
console.info(`increments: FC_SEED=${seed} FC_RUNS=${runs}`)

/** Names that an expression can't hold as they are. */
const AWKWARD = ['votes', '#votes', ':v', 'a.b', 'size', 'count', 'x y', '[0]', 'naïve'] as const

type Post = {
  readonly id: string
  readonly forum: string
  readonly kind: string
  readonly stars: number
  readonly place: number
  readonly text?: string
} & { readonly [K in (typeof AWKWARD)[number]]?: number }

const posts = defineCollection({
  name: 'POST',
  schema: schemaOf<Post>(),
  id: 'id',
  scope: { name: 'FORUM', attribute: 'forum' },
  order: { attribute: 'place', type: 'number' },
  facets: { kind: oneOf(), stars: anyOf('number') },
})
const POST = { id: '1', forum: 'f', kind: 'a', stars: 0, place: 0 }
const LAYOUTS = [indexes(), manyEntries()]
const PATIENT = { idleMs: 20, gatherMs: 20, discoverMs: 100 }

type Table = TestTable<{ posts: typeof posts }>

const step = fc.record({
  attribute: fc.constantFrom(...AWKWARD, 'stars' as const, 'place' as const),
  by: fc.integer({ min: -5, max: 5 }),
  blind: fc.boolean(),
  kind: fc.option(fc.constantFrom('a', 'b', 'c'), { freq: 4, nil: undefined }),
})

/** A process of its own, whose writes go wrong on their way: reads that do are told to it by the SDK, which tries them again. */
function writer({ client, tableName }: Table, layout: (typeof LAYOUTS)[number], faultSeed: number) {
  // So few that no write meets six in a row, after which the caller is told.
  const rates = { ...NO_FAULTS, dropped: 0.04, late: 0.03, failed: 0.03, conflicted: 0.1, throttled: 0.03 }
  const faults = createFaultKit({ seed: faultSeed, rates })
  const faulty = faults.dynamodb(client)
  const lossy = intercepted<DynamoDBClient>(client, (command, send) =>
    command instanceof TransactWriteItemsCommand || command instanceof UpdateItemCommand
      ? faulty.send(command as never)
      : send(command),
  )
  const lapidary = createLapidary({
    ...{ client: lossy, tableName, collections: { posts }, layout },
    cursorSecret: 'a secret of the tests',
  })
  return { posts: lapidary.posts, faults }
}

/** Why nothing may be known of the counts, where nothing is. */
async function about({ derived }: Pick<Lapidary<{ posts: typeof posts }>, 'derived'>, poller: Poller): Promise<string> {
  return JSON.stringify([await derived.gaps(), await derived.states(), poller.status()])
}

/** A process that knows nothing yet. */
function anew({ client, tableName }: Table, layout: (typeof LAYOUTS)[number]) {
  const options = { client, tableName, collections: { posts }, layout, derived: { counts: true } }
  return createLapidary({ ...options, cursorSecret: 'a secret of the tests' }).posts
}

describe.each(testEngines())('increments on $name', (engine) => {
  test.each(LAYOUTS)('of many writers, with answers lost, add up exactly in $name', async (layout) => {
    const property = fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { minLength: 2, maxLength: 5 }),
      fc.nat(1e6),
      async (writers, faultSeed) => {
        await using table = await openTestTable(engine, { posts }, { layout, derived: { counts: true } })
        const { lapidary } = table
        await lapidary.posts.create(POST)
        await using poller = await lapidary.stream.start(PATIENT)
        const sums: Record<string, number> = {}
        await Promise.all(
          writers.map(async (steps, i) => {
            const { posts: own, faults } = writer(table, layout, faultSeed + i)
            for (const { attribute, by, blind, kind } of steps) {
              const besides = kind === undefined ? {} : { kind }
              await own.patch('1', { [attribute]: increment(by, { blind }), ...besides })
              sums[attribute] = (sums[attribute] ?? 0) + by
            }
            await faults.landed()
          }),
        )
        const item = (await lapidary.posts.get('1')) as Item
        for (const [attribute, sum] of Object.entries(sums))
          expect([attribute, item[attribute] ?? 0]).toEqual([attribute, sum])
        const { items } = await lapidary.posts.list({
          scope: 'f',
          where: { kind: item.kind as string, stars: item.stars as number },
        })
        expect(items).toEqual([item])
        while ((await lapidary.derived.verify()).pending > 0) await new Promise((resolve) => setTimeout(resolve, 20))
        expect(await lapidary.derived.verify()).toMatchObject({ differenceCount: 0, items: 1 })
        // The poller notes last that it has come to the end of the stream.
        await vi.waitFor(async () => {
          const where = { stars: item.stars as number }
          const { total, facets } = await anew(table, layout).count({ scope: 'f', where })
          expect([total, facets?.kind], await about(lapidary, poller)).toEqual([1, { [item.kind as string]: 1 }])
        }, PATIENCE)
      },
    )
    await fc.assert(property, { seed, numRuns: runs, endOnFailure: true })
  })

  test('a crowd adds to one number: each once, blindly and not', async () => {
    await using table = await openTestTable(engine, { posts })
    const { posts: client } = table.lapidary
    await client.create(POST)
    await Promise.all([
      ...Array.from({ length: 60 }, () => client.patch('1', { votes: increment(1, { blind: true }) })),
      ...Array.from({ length: 20 }, () => client.patch('1', { size: increment(2), stars: increment(1) })),
    ])
    expect(await client.get('1')).toEqual({ ...POST, votes: 60, size: 40, stars: 20 })
  })

  test('one that is blind reads nothing before, and counts the version all the same', async () => {
    const commands: string[] = []
    await using table = await openTestTable(engine, { posts })
    const { posts: client } = createLapidary({
      client: intercepted<DynamoDBClient>(table.client, (command, send) => {
        commands.push(command.constructor.name)
        return send(command)
      }),
      ...{ tableName: table.tableName, collections: { posts }, cursorSecret: 'a secret of the tests' },
    })
    await client.create({ ...POST, text: 'kept' })
    const { writes } = await client.writes.patch('1', { text: 'late' })
    commands.length = 0
    expect(
      await client.patch('1', { votes: increment(3, { blind: true }), size: increment(-1, { blind: true }) }),
    ).toEqual({
      ...POST,
      ...{ text: 'kept', votes: 3, size: -1 },
    })
    expect(commands).toEqual(['TransactWriteItemsCommand', 'GetItemCommand'])
    await expect(table.client.send(new TransactWriteItemsCommand({ TransactItems: [...writes] }))).rejects.toThrow(
      'ConditionalCheckFailed',
    )
  })

  test('what can’t be added to is refused, and left as it is', async () => {
    await using table = await openTestTable(engine, { posts })
    const { posts: client } = table.lapidary
    await client.create({ ...POST, text: 'kept', votes: Number.MAX_SAFE_INTEGER - 1 })
    for (const blind of [true, false]) {
      const refused = { code: 'unprocessable' }
      await expect(client.patch('1', { text: increment(1, { blind }) as never })).rejects.toMatchObject(refused)
      await expect(client.patch('1', { votes: increment(2, { blind }) })).rejects.toMatchObject(refused)
      await expect(client.patch('1', { id: increment(1, { blind }) as never })).rejects.toMatchObject(refused)
      await expect(client.patch('none', { votes: increment(1, { blind }) })).rejects.toMatchObject({
        code: 'not_found',
      })
    }
    expect(await client.patch('1', { votes: increment(1, { blind: true }) })).toMatchObject({
      votes: Number.MAX_SAFE_INTEGER,
    })
    expect(await client.get('1')).toMatchObject({ text: 'kept' })
    for (const by of [Number.NaN, Number.POSITIVE_INFINITY, 1e300, '1' as never])
      expect(() => increment(by)).toThrow(expect.objectContaining({ code: 'unprocessable' }))
  })

  test('it is under the stored name, and in both while an attribute is being renamed', async () => {
    const stored = (votes: object | string) =>
      defineCollection({
        name: 'POST',
        schema: schemaOf<Pick<Post, 'id' | 'forum' | 'place' | 'votes'>>(),
        id: 'id',
        scope: { name: 'FORUM', attribute: 'forum' },
        order: { attribute: 'place', type: 'number' },
        facets: {},
        attributes: { id: 'i', forum: 'f', place: 'p', votes: votes as string },
      })
    await using table = await openTestTable(engine, { posts: stored('#') })
    const { client, tableName } = table
    await table.lapidary.posts.create({ id: '1', forum: 'f', place: 0 })
    await table.lapidary.posts.patch('1', { votes: increment(2, { blind: true }) })
    const renaming = stored({ name: '#', also: 'n', shownIn: 'list' })
    const lapidary = createLapidary({
      client,
      tableName,
      collections: { posts: renaming },
      cursorSecret: 'a secret of the tests',
    })
    expect(await lapidary.posts.patch('1', { votes: increment(1, { blind: true }) })).toMatchObject({ votes: 3 })
    const Key = { PK: { S: 'POST#1' }, SK: { S: '~' } }
    const { Item: entry } = await client.send(new GetItemCommand({ TableName: tableName, Key, ConsistentRead: true }))
    expect(entry).toMatchObject({ '#': { N: '3' }, n: { N: '3' } })
  })
})
