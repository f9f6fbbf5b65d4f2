import {
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { anyOf, createLapidary, defineCollection, powerSet } from 'lapidary'
import { exportItems, importItems } from 'lapidary/transfer'
import { chosenSeed, createFaultKit, createOracle, seededRandom } from 'lapidary-testing'
import { describe, expect, test } from 'vitest'
import { createTestStreams, testEngines } from '../../../../test/engines/index.ts'
import { settleDuplicates } from '../../src/duplicates/settle-duplicates.ts'
import { type Comment, comment, comments, schemaOf } from '../comments-fixture.ts'
import {
  expectedLists,
  foundLists,
  openPowerSet,
  type PowerSetTable,
  QUICK,
  RATINGS,
  writeComments,
} from './power-set-table.ts'

const [engine] = testEngines()
if (engine === undefined) throw new Error('there is no engine')
const seed = chosenSeed(process.env.FC_SEED)
console.info(`duplicates: FC_SEED=${seed}`)

const newComment = (given: Partial<Comment> = {}) => {
  const { version, updatedAt, ...sent } = comment(given)
  return sent
}

describe.each(['write', 'stream'] as const)('duplicates kept by the %s', (kept) => {
  test('lie where the items say after any writes, and every item counts and is exported once', async () => {
    await using table = await openPowerSet(engine, { kept })
    const { lapidary } = table
    await using _poller = await lapidary.stream.start({ idleMs: 20, gatherMs: 20 })
    const left = await writeComments(lapidary, seededRandom(seed), 60)
    await table.counted()
    expect(foundLists(await table.entries())).toEqual(expectedLists(left.values()))
    expect((await table.entries()).filter(({ auto }) => auto?.BOOL !== true)).toHaveLength(left.size)
    expect(await lapidary.derived.verify(QUICK)).toMatchObject({ differenceCount: 0, items: left.size })
    const oracle = createOracle(comments)
    for (const one of left.values()) oracle.put(one)
    for (let bits = 0; bits < 2 ** RATINGS.length; bits++) {
      const rating = RATINGS.filter((_, i) => (bits >> i) % 2 === 1)
      for (const language of [undefined, 'en', '~']) {
        const query = { scope: '42', where: { rating, ...(language === undefined ? {} : { language }) }, limit: 100 }
        const { items, plan } = await lapidary.comments.list(query)
        expect(items).toEqual(oracle.matching(query))
        const ofCounts = plan.tree.inputs.find(({ kind }) => kind === 'counts')?.actual?.requests ?? 0
        expect((plan.actual?.requests ?? 0) - ofCounts).toBe(bits === 0 ? 0 : 1)
      }
    }
    expect((await lapidary.comments.count({ scope: '42' })).total).toBe(oracle.matching({ scope: '42' }).length)
    const exported: Comment[] = []
    for await (const items of exportItems(lapidary.comments)) exported.push(...items)
    expect(exported.map(({ id }) => id).sort()).toEqual([...left.keys()].sort())
    for (const id of left.keys()) await lapidary.comments.delete(id)
    await table.counted()
    expect(await table.entries()).toEqual([])
  })

  test('missing, dangling and wrong ones are told apart, and a repair mends these and nothing else', async () => {
    await using table = await openPowerSet(engine, { kept })
    const { lapidary, client, tableName: TableName } = table
    await using _poller = await lapidary.stream.start({ idleMs: 20, gatherMs: 20 })
    const left = await writeComments(lapidary, seededRandom(seed), 30)
    await table.counted()
    const sound = await table.entries()
    const [one, two, three] = [...left.values()] as [Comment, Comment, Comment]
    const PK = (id: string) => ({ S: `COMMENT#${id}` })
    const foreign = { PK: PK(one.id), SK: { S: 'NOTE' }, note: { S: 'of another program' } }
    await client.send(new PutItemCommand({ TableName, Item: foreign }))
    await client.send(new DeleteItemCommand({ TableName, Key: { PK: PK(one.id), SK: { S: `~/=/${one.rating}` } } }))
    const gone = {
      PK: PK('gone'),
      SK: { S: '~/=/5' },
      'k.lists': { S: 'COMMENT/42/en/5' },
      's.lists': { S: '2024#gone' },
    }
    await client.send(new PutItemCommand({ TableName, Item: { ...gone, auto: { BOOL: true } } }))
    const other = RATINGS.find((rating) => rating !== two.rating)
    const dangling = { ...gone, PK: PK(two.id), SK: { S: `~/~/${other}` }, auto: { BOOL: true } }
    await client.send(new PutItemCommand({ TableName, Item: dangling }))
    await client.send(
      new UpdateItemCommand({
        ...{ TableName, Key: { PK: PK(three.id), SK: { S: `~/~/${three.rating}` } } },
        ...{ UpdateExpression: 'SET #t = :t', ExpressionAttributeNames: { '#t': 'text' } },
        ExpressionAttributeValues: { ':t': { S: 'spoilt' } },
      }),
    )
    const { differences } = await lapidary.derived.verify(QUICK)
    const told = differences.map(({ kind, projection, target }) => `${kind} ${projection} ${target.PK} ${target.SK}`)
    expect(told.sort()).toEqual(
      [
        `missing duplicates COMMENT#${one.id} ~/=/${one.rating}`,
        'dangling duplicates COMMENT#gone ~/=/5',
        `dangling duplicates COMMENT#${two.id} ~/~/${other}`,
        `wrong duplicates COMMENT#${three.id} ~/~/${three.rating}`,
      ].sort(),
    )
    expect(differences.find(({ kind }) => kind === 'missing')?.expected).toMatch(/^COMMENT\//)
    const recent = await lapidary.derived.verify({ ...QUICK, since: Date.now() - 3_600_000 })
    expect(recent.differences.map(({ kind }) => kind).sort()).toEqual(['dangling', 'dangling', 'missing', 'wrong'])
    expect(await lapidary.derived.verify({ ...QUICK, since: Date.now() + 3_600_000 })).toMatchObject({
      ...{ differenceCount: 0, items: 0 },
    })
    // A sample looks at the items of its scopes: not at what is left of one that is gone.
    const sample = await lapidary.derived.verify({ ...QUICK, sample: 2 })
    expect(sample.differences.map(({ kind }) => kind).sort()).toEqual(['dangling', 'missing', 'wrong'])
    expect(await lapidary.derived.repair({ ...QUICK, poll: false })).toMatchObject({ mended: 4, differenceCount: 4 })
    expect(await lapidary.derived.verify(QUICK)).toMatchObject({ differenceCount: 0 })
    const mended = await table.entries()
    expect(mended.filter(({ SK }) => SK?.S === 'NOTE')).toEqual([foreign])
    expect(foundLists(mended.filter(({ SK }) => SK?.S !== 'NOTE'))).toEqual(foundLists(sound))
  })

  test('a rebuild makes them all, also where items came by another way', async () => {
    await using table = await openPowerSet(engine, { kept })
    const { lapidary, client, tableName } = table
    const plain = createLapidary({
      ...{ client, tableName, collections: { comments }, cursorSecret: 'a secret of the tests' },
      layout: powerSet({ kept: 'stream' }),
    })
    const left = await writeComments(plain, seededRandom(seed), 20)
    expect(await table.entries()).toHaveLength(left.size)
    const rebuilt = await lapidary.derived.rebuild('duplicates', QUICK)
    expect(rebuilt).toMatchObject({ mended: left.size * 31, items: left.size })
    expect(foundLists(await table.entries())).toEqual(expectedLists(left.values()))
    expect(await lapidary.derived.rebuild('duplicates', QUICK)).toMatchObject({ mended: 0 })
  })

  test('an import makes them, or leaves them to the stream, also of items that take the place of others', async () => {
    await using table = await openPowerSet(engine, { kept })
    const { lapidary } = table
    await using _poller = await lapidary.stream.start({ idleMs: 20, gatherMs: 20 })
    const items = Array.from({ length: 30 }, (_, i) => comment({ id: `${i}`, rating: RATINGS[i % 5] as 5 }))
    const replaced = items.slice(0, 7).map((item): Comment => ({ ...item, rating: 1, language: 'de', version: 2 }))
    expect(await importItems(lapidary.comments, items)).toMatchObject({ written: 30, failed: 0 })
    expect(await importItems(lapidary.comments, replaced)).toMatchObject({ written: 7, failed: 0 })
    await table.counted()
    expect(foundLists(await table.entries())).toEqual(expectedLists([...replaced, ...items.slice(7)]))
  })

  test('what reads and changes at once never finds an item twice, nor misses it', async () => {
    await using table = await openPowerSet(engine, { kept })
    const { lapidary } = table
    await using _poller = await lapidary.stream.start({ idleMs: 5, gatherMs: 0 })
    const { id } = await lapidary.comments.create(newComment({ rating: 1 }))
    await table.counted()
    let done = false
    const edits = (async () => {
      for (let i = 0; i < 25; i++) await lapidary.comments.patch(id, { rating: i % 2 === 0 ? 4 : 1, text: `${i}` })
      done = true
    })()
    let read = 0
    while (!done) {
      // In each of these lists both before an edit and after it.
      for (const where of [{ rating: [1, 4] }, { language: 'en', rating: [1, 3, 4] }] as const) {
        const { items } = await lapidary.comments.list({ scope: '42', where })
        expect(items.map((each) => each.id)).toEqual([id])
        read += 1
      }
    }
    await edits
    expect(read).toBeGreaterThan(5)
  })
})

/** A client that does something before a transaction is sent, once. */
function beforeTransaction(client: DynamoDBClient, act: () => Promise<unknown>): DynamoDBClient {
  let acted = false
  const send = async (command: never, settings?: never): Promise<unknown> => {
    if ((command as object) instanceof TransactWriteItemsCommand && !acted) {
      acted = true
      await act()
    }
    return client.send(command, settings)
  }
  return new Proxy(client, { get: (target, name) => (name === 'send' ? send : Reflect.get(target, name)) })
}

test.each<[string, (table: PowerSetTable) => Promise<unknown>, number]>([
  ['changed', ({ lapidary }) => lapidary.comments.patch('100001', { rating: 2, language: 'de' }), 32],
  ['deleted', ({ lapidary }) => lapidary.comments.delete('100001'), 0],
  [
    'replaced by one of the same version',
    ({ lapidary }) => importItems(lapidary.comments, [comment({ text: 'Bad.' })], { onConflict: 'replace' }),
    32,
  ],
])(
  'a process that comes too late with an item that was %s writes nothing of what it read',
  async (_, change, entries) => {
    await using table = await openPowerSet(engine, { kept: 'stream' })
    await table.lapidary.comments.create(newComment())
    const sender = beforeTransaction(table.client, async () => {
      await change(table)
      await settleDuplicates(table.lapidary.comments.context, 'COMMENT#100001')
    })
    await settleDuplicates(table.through(sender).comments.context, 'COMMENT#100001')
    const found = await table.entries()
    expect(found).toHaveLength(entries)
    const [item] = await table.lapidary.comments.getMany(['100001'])
    expect(foundLists(found)).toEqual(item === undefined ? [] : expectedLists([item as Comment]))
  },
)

test('they are exact after lost answers, late writes, conflicts, and pollers that die and begin again', async () => {
  await using table = await openPowerSet(engine, { kept: 'stream' })
  const random = seededRandom(seed)
  const faults = createFaultKit({
    seed,
    rates: { delayed: 0.2, throttled: 0.1, conflicted: 0.15, dropped: 0.1, late: 0.05, failed: 0.1 },
  })
  const streams = createTestStreams(engine)
  const process = (): ReturnType<PowerSetTable['through']> =>
    table.through(faults.dynamodb(table.client), { stream: { immediate: true, client: faults.streams(streams) } })
  let ended = false
  const dying = (async () => {
    while (!ended) {
      const starting = process().stream.start({ idleMs: 10, gatherMs: 0, leaseMs: 300 })
      const poller = await starting.catch(() => undefined)
      await new Promise((done) => setTimeout(done, 100 + random() * 400))
      faults.kill()
      await poller?.close().catch(() => undefined)
      faults.revive()
    }
  })()
  const left = await writeComments(table.lapidary, random, 60)
  await new Promise((done) => setTimeout(done, 1_000))
  ended = true
  await dying
  await faults.landed()
  faults.calm()
  await using _poller = await table.lapidary.stream.start({ idleMs: 20, gatherMs: 20 })
  await table.counted()
  expect(foundLists(await table.entries())).toEqual(expectedLists(left.values()))
  expect(await table.lapidary.derived.verify(QUICK)).toMatchObject({ differenceCount: 0, deadLetters: 0 })
  expect(faults.injected.dropped + faults.injected.conflicted).toBeGreaterThan(0)
  streams.destroy()
})

test('more than one transaction takes are kept by the stream, old ones gone first', async () => {
  const tagged = defineCollection({
    ...{ name: 'NOTE', schema: schemaOf<{ id: string; box: string; tag: number; at: string }>(), id: 'id' },
    ...{ scope: { name: 'BOX', attribute: 'box' }, order: 'at', facets: { tag: anyOf([1, 2, 3, 4, 5, 6, 7, 8, 9]) } },
  })
  await using table = await openPowerSet(engine, { kept: 'stream' })
  const sent: string[] = []
  const send = async (command: never, settings?: never): Promise<unknown> => {
    const { input } = command as { input: { TransactItems?: readonly object[] } }
    for (const item of input.TransactItems ?? []) sent.push(Object.keys(item)[0] ?? '')
    return table.client.send(command, settings)
  }
  const client = new Proxy(table.client, {
    get: (target, name) => (name === 'send' ? send : Reflect.get(target, name)),
  })
  const { notes, ...database } = createLapidary({
    ...{ client, tableName: table.tableName, collections: { notes: tagged }, cursorSecret: 'a secret of the tests' },
    ...{ layout: powerSet({ kept: 'stream', sets: 'mask' }), stream: { immediate: true } },
  })
  await notes.create({ id: '1', box: 'a', tag: 1, at: '2024-01-01T00:00:00.000Z' })
  expect(await settleDuplicates(notes.context, 'NOTE#1')).toBe(255)
  sent.length = 0
  await notes.patch('1', { tag: 9 })
  // Half of the sets with 1 have 9 too.
  expect(await settleDuplicates(notes.context, 'NOTE#1')).toBe(128 + 127 + 128)
  expect(sent.lastIndexOf('Delete')).toBeLessThan(sent.indexOf('Put'))
  // Under another declaration than the table was made with, lists are not read before all duplicates are known to be there.
  await expect(notes.list({ scope: 'a', where: { tag: [2, 9] } })).rejects.toThrow('lapidary rebuild duplicates')
  await database.derived.fill(QUICK)
  expect((await notes.list({ scope: 'a', where: { tag: [2, 9] } })).items).toHaveLength(1)
  expect((await notes.list({ scope: 'a', where: { tag: [1, 2] } })).items).toEqual([])
  expect(await database.derived.verify(QUICK)).toMatchObject({ differenceCount: 0 })
})
