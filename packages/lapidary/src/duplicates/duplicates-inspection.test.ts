import {
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { anyOf, createLapidary, defineCollection, type Lapidary, oneOf, powerSet } from 'lapidary'
import { expect, test, vi } from 'vitest'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import { schemaOf } from '../../test/comments-fixture.ts'
import { memoryDatabase } from '../../test/memory-items/memory-database.ts'
import { settleDuplicates } from './settle-duplicates.ts'

type Ticket = {
  readonly id: string
  readonly tenant: string
  readonly createdAt: string
  readonly status: 'open' | 'closed'
  readonly team: string
  readonly text: string
  readonly note?: string
  readonly expiresAt?: string
}

const declaration = {
  name: 'TICKET',
  schema: schemaOf<Ticket>(),
  id: 'id',
  scope: { name: 'TENANT', attribute: 'tenant' },
  order: 'createdAt',
  facets: { status: anyOf(['open', 'closed']), team: oneOf() },
} as const
const tickets = defineCollection({ ...declaration, expires: 'expiresAt' })
const timeless = defineCollection(declaration)

const FAST = { idleMs: 5, segments: 1 } as const
const TableName = 'tickets'

interface Setting {
  readonly client: DynamoDBClient
  readonly lapidary: Lapidary<{ readonly tickets: typeof tickets }>
  /** Returns the keys of a ticket's duplicates. */
  duplicates(id: string): Promise<readonly string[]>
  spoil(id: string, change: 'remove' | 'lose' | 'add'): Promise<void>
}

/** @param looking Called before each look at the partition of an item. */
async function setting(
  kept: 'write' | 'stream',
  looking: (look: number) => Promise<void> = async () => {},
  collection: typeof tickets = tickets,
): Promise<Setting> {
  const { client, streams } = memoryDatabase(TableName)
  let looks = 0
  const send = async (command: object) => {
    const { ExpressionAttributeValues: values, ConsistentRead } = command instanceof QueryCommand ? command.input : {}
    if (ConsistentRead && Object.values(values ?? {}).some(({ S }) => S === 'TICKET#1')) await looking(++looks)
    return client.send(command as never)
  }
  const lapidary = createLapidary({
    ...{ client: { ...client, send } as typeof client, tableName: TableName, collections: { tickets: collection } },
    ...{ cursorSecret: 'a secret of the tests', layout: powerSet({ kept }) },
    stream: { client: streams, immediate: true },
  })
  await lapidary.table.create()
  const keyOf = (id: string, SK: string) => ({ PK: { S: `TICKET#${id}` }, SK: { S: SK } })
  const duplicates: Setting['duplicates'] = async (id) => {
    const { Items = [] } = await client.send(
      new QueryCommand({
        ...{ TableName, KeyConditionExpression: 'PK = :id', ConsistentRead: true },
        ExpressionAttributeValues: { ':id': { S: `TICKET#${id}` } },
      }),
    )
    return Items.map(({ SK }) => SK?.S ?? '').filter((SK) => SK !== '~')
  }
  return {
    client,
    lapidary,
    duplicates,
    async spoil(id, change) {
      const [first = ''] = await duplicates(id)
      const Key = keyOf(id, first)
      if (change === 'remove') await client.send(new DeleteItemCommand({ TableName, Key }))
      else if (change === 'lose') {
        await client.send(
          new UpdateItemCommand({
            ...{ TableName, Key, UpdateExpression: 'REMOVE #note SET #more = :more' },
            ExpressionAttributeNames: { '#note': 'note', '#more': 'more' },
            ExpressionAttributeValues: { ':more': { S: 'x'.repeat(200) } },
          }),
        )
      } else await client.send(new PutItemCommand({ TableName, Item: { ...keyOf(id, '~/=/9'), auto: { BOOL: true } } }))
    },
  }
}

const ticket = (given: Partial<Ticket> = {}): Ticket => ({
  ...{
    id: '1',
    tenant: 'a',
    createdAt: '2026-01-01T00:00:00.000Z',
    status: 'open',
    team: 'red',
    text: 'It is broken.',
  },
  ...given,
})

async function settled({ lapidary }: Setting): Promise<void> {
  await using poller = await lapidary.stream.start({ idleMs: 5, gatherMs: 5, discoverMs: 20 })
  const written = Date.now()
  await vi.waitFor(() => expect(poller.status().caughtUpAt ?? 0).toBeGreaterThan(written), PATIENCE)
}

test('of duplicates kept by the stream, what the runner has not got to is no difference', async () => {
  const from = await setting('stream')
  await from.lapidary.tickets.create(ticket())
  await settled(from)
  expect(await from.duplicates('1')).toHaveLength(3)
  await from.lapidary.tickets.create(ticket({ id: '2' }))
  await from.lapidary.tickets.patch('1', { text: 'It works again.' })
  expect(await from.lapidary.derived.verify(FAST)).toMatchObject({ differenceCount: 0, items: 2 })
  await settled(from)
  await from.spoil('1', 'remove')
  await from.spoil('2', 'lose')
  expect(await from.lapidary.derived.verify(FAST)).toMatchObject({ differenceCount: 2 })
})

test('of duplicates kept by the write, a difference is one whether the change is counted or not', async () => {
  const from = await setting('write')
  await from.lapidary.tickets.create(ticket())
  await from.spoil('1', 'remove')
  await from.spoil('1', 'add')
  const { differences } = await from.lapidary.derived.verify(FAST)
  expect(differences.map(({ kind, target }) => `${kind} ${target.SK}`)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^missing /), 'dangling ~/=/9']),
  )
  expect(differences).toHaveLength(2)
})

test('tells each attribute in which one is wrong, those that it lacks too, and long ones in short', async () => {
  const from = await setting('write', undefined, timeless)
  await from.lapidary.tickets.create(ticket({ note: 'urgent' }))
  await from.spoil('1', 'lose')
  const { differences } = await from.lapidary.derived.verify(FAST)
  expect(differences).toMatchObject([
    { kind: 'wrong', name: 'more', expected: null, actual: 'x'.repeat(100) },
    { kind: 'wrong', name: 'note', expected: 'urgent', actual: null },
  ])
})

test('tells of one that is missing which list it should be in, also where only recent changes are looked at', async () => {
  const from = await setting('write', undefined, timeless)
  await from.lapidary.tickets.create(ticket())
  const [gone] = await from.duplicates('1')
  await from.spoil('1', 'remove')
  const missing = {
    ...{ kind: 'missing', projection: 'duplicates', collection: 'TICKET', target: { PK: 'TICKET#1', SK: gone } },
    ...{ name: 'k.lists', expected: expect.stringMatching(/^TICKET\/a\//), actual: null },
  }
  for (const recent of [{}, { since: Date.now() - 3_600_000 }]) {
    expect((await from.lapidary.derived.verify({ ...FAST, ...recent })).differences).toEqual([missing])
  }
  expect((await from.lapidary.derived.verify({ ...FAST, since: Date.now() + 60_000 })).differences).toEqual([])
})

test('tells nothing of an item that changed between two looks and is right at the third', async () => {
  const from = await setting('write', async (look) => {
    if (look === 2) {
      await from.client.send(
        new UpdateItemCommand({
          ...{ TableName, Key: { PK: { S: 'TICKET#1' }, SK: { S: '~' } }, UpdateExpression: 'SET #text = :text' },
          ...{ ExpressionAttributeNames: { '#text': 'text' }, ExpressionAttributeValues: { ':text': { S: 'New.' } } },
        }),
      )
    }
    if (look === 3) await settleDuplicates(from.lapidary.tickets.context, 'TICKET#1')
  })
  await from.lapidary.tickets.create(ticket())
  await from.spoil('1', 'remove')
  expect(await from.lapidary.derived.verify(FAST)).toMatchObject({ differenceCount: 0 })
})

test('leaves an item that changes at every look to the next time', async () => {
  let changes = -1
  const from = await setting('write', async () => {
    if (changes >= 0)
      await from.client.send(
        new UpdateItemCommand({
          ...{ TableName, Key: { PK: { S: 'TICKET#1' }, SK: { S: '~' } }, UpdateExpression: 'SET #text = :text' },
          ExpressionAttributeNames: { '#text': 'text' },
          ExpressionAttributeValues: { ':text': { S: `${changes++}` } },
        }),
      )
  })
  await from.lapidary.tickets.create(ticket())
  await from.spoil('1', 'remove')
  changes = 0
  expect(await from.lapidary.derived.verify(FAST)).toMatchObject({ differenceCount: 0 })
  expect(changes).toBe(10)
})

test('tells nothing of what has expired: DynamoDB removes it entry by entry', async () => {
  const from = await setting('write')
  const soon = Date.now() + 1_500
  await from.lapidary.tickets.create(ticket({ expiresAt: new Date(soon).toISOString() }))
  await from.lapidary.tickets.create(ticket({ id: '2', expiresAt: new Date(soon + 3_600_000).toISOString() }))
  // Times of expiry are whole seconds.
  await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(soon + 1_100), PATIENCE)
  for (const id of ['1', '2']) await from.spoil(id, 'remove')
  const { differences } = await from.lapidary.derived.verify(FAST)
  expect(differences.map(({ kind, target }) => `${kind} ${target.PK}`)).toEqual(['missing TICKET#2'])
  // The item itself has gone first.
  await from.client.send(new DeleteItemCommand({ TableName, Key: { PK: { S: 'TICKET#1' }, SK: { S: '~' } } }))
  expect(await from.lapidary.derived.verify(FAST)).toMatchObject({ differenceCount: 1 })
})

test('a rebuild makes what is missing of all items, and takes away what is too much', async () => {
  const from = await setting('stream')
  for (const id of ['1', '2', '3']) await from.lapidary.tickets.create(ticket({ id }))
  expect(await from.duplicates('1')).toEqual([])
  expect(await from.lapidary.derived.rebuild('duplicates', FAST)).toMatchObject({ mended: 9, items: 3 })
  await from.spoil('2', 'remove')
  await from.spoil('2', 'add')
  await from.spoil('3', 'lose')
  expect(await from.lapidary.derived.rebuild('duplicates', FAST)).toMatchObject({ mended: 3 })
  expect(await from.lapidary.derived.rebuild('duplicates', FAST)).toMatchObject({
    ...{ mended: 0, deadLettersForgotten: 0, gapsCleared: 0 },
  })
  for (const id of ['1', '2', '3']) expect(await from.duplicates(id)).toHaveLength(3)
})

test('a repair mends what a verification tells, and no other item', async () => {
  const from = await setting('write')
  for (const id of ['1', '2', '3']) await from.lapidary.tickets.create(ticket({ id }))
  await from.spoil('2', 'remove')
  await from.spoil('3', 'add')
  expect(await from.lapidary.derived.repair(FAST)).toMatchObject({ mended: 2, differenceCount: 2 })
  expect(await from.lapidary.derived.verify(FAST)).toMatchObject({ differenceCount: 0 })
})
