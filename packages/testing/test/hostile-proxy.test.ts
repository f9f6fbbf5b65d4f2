import { setTimeout as sleep } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import {
  type AttributeValue,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  CreateTableCommand,
  DeleteItemCommand,
  DynamoDBClient,
  type DynamoDBClientConfig,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
  paginateListTables,
  paginateQuery,
  QueryCommand,
  type QueryCommandInput,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import { clientConfig } from 'lapidary-engine'
import {
  type FaultRates,
  type HostileProxy,
  type HostileProxyOptions,
  intercepted,
  lateIndexes,
  startHostileProxy,
} from 'lapidary-testing'
import { describe, expect, test } from 'vitest'
import { createSdkClient, dropTables, testEngines, uniqueTableName } from '../../../test/engines/index.ts'

interface Proxied extends AsyncDisposable {
  readonly proxy: HostileProxy
  /** The SDK through the proxy; it tries once, so that a test sees every error. */
  readonly client: DynamoDBClient
  readonly TableName: string
}

type Engine = ReturnType<typeof testEngines>[number]

/** A table with an index, made through a proxy. */
async function proxied(
  engine: Engine,
  options: Partial<HostileProxyOptions> = {},
  config: DynamoDBClientConfig = {},
): Promise<Proxied> {
  const proxy = await startHostileProxy({ target: engine.endpoint, seed: 7, rates: {}, ...options })
  const client = new DynamoDBClient({ ...clientConfig(proxy.endpoint, {}), maxAttempts: 1, ...config })
  const direct = createSdkClient(engine)
  const TableName = uniqueTableName()
  await direct.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: ['pk', 'group', 'at'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'byGroup',
          KeySchema: [
            { AttributeName: 'group', KeyType: 'HASH' },
            { AttributeName: 'at', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'ALL' },
        },
      ],
    }),
  )
  return {
    ...{ proxy, client, TableName },
    async [Symbol.asyncDispose]() {
      client.destroy()
      await proxy.close()
      await dropTables(direct, [TableName])
    },
  }
}

const item = (pk: string, group = 'a', more: Record<string, AttributeValue> = {}): Record<string, AttributeValue> => ({
  ...{ pk: { S: pk }, group: { S: group }, at: { S: `at ${pk}` } },
  ...more,
})
const ofGroup = (TableName: string, group: string): QueryCommandInput => ({
  ...{ TableName, IndexName: 'byGroup', KeyConditionExpression: '#group = :group' },
  ...{ ExpressionAttributeNames: { '#group': 'group' }, ExpressionAttributeValues: { ':group': { S: group } } },
})
/** Reads a group from its index, page by page. */
async function listed(client: DynamoDBClient, TableName: string, group: string): Promise<string[]> {
  const found: string[] = []
  for await (const { Items = [] } of paginateQuery({ client }, ofGroup(TableName, group)))
    found.push(...Items.map(({ pk }) => String(pk?.S)))
  return found
}

describe.each(testEngines())('a proxy before $name', (engine) => {
  test('without faults passes everything on as it is', async () => {
    await using through = await proxied(engine)
    const { client, TableName, proxy } = through
    const Item = item('1', 'ü', {
      ...{ bytes: { B: Uint8Array.of(0, 200, 255) }, many: { BS: [Uint8Array.of(1)] } },
      ...{ number: { N: '0.12345678901234567890123456789' }, text: { S: 'quotes " and \u2028' } },
    })
    const put = await client.send(new PutItemCommand({ TableName, Item }))
    expect(put.ConsumedCapacity).toBeUndefined()
    const key = { TableName, Key: { pk: { S: '1' } }, ReturnConsumedCapacity: 'TOTAL' } as const
    const got = await client.send(new GetItemCommand(key))
    expect(got.Item).toEqual(Item)
    expect(got.ConsumedCapacity).toEqual({ TableName, CapacityUnits: 0.5 })
    expect(await listed(client, TableName, 'ü')).toEqual(['1'])
    const wrong = client.send(new PutItemCommand({ TableName, Item: { nothing: { S: '1' } } }))
    await expect(wrong).rejects.toMatchObject({ name: 'ValidationException', $metadata: { httpStatusCode: 400 } })
    const names: string[] = []
    for await (const page of paginateListTables({ client }, {})) names.push(...(page.TableNames ?? []))
    expect(names).toContain(TableName)
    expect(proxy.calls).toMatchObject({ PutItem: 2, GetItem: 1, Query: 1 })
    expect(proxy.befallen).toEqual({})
  })

  test('throttles the partition that has used its units, and no other', async () => {
    let now = 0
    await using through = await proxied(engine, { limits: { readUnits: 2, writeUnits: 6, clock: () => now } })
    const { client, TableName, proxy } = through
    const put = (pk: string, group = pk) => client.send(new PutItemCommand({ TableName, Item: item(pk, group) }))
    const throttled = { name: 'ProvisionedThroughputExceededException' }
    for (let i = 0; i < 6; i++) await put('hot')
    await expect(put('hot')).rejects.toMatchObject(throttled)
    await put('cold')
    const both = [{ Put: { TableName, Item: item('cold') } }, { Put: { TableName, Item: item('hot') } }]
    await expect(client.send(new TransactWriteItemsCommand({ TransactItems: both }))).rejects.toMatchObject({
      name: 'TransactionCanceledException',
      CancellationReasons: [{ Code: 'None' }, { Code: 'ThrottlingError' }],
    })
    const requests = both.map(({ Put: { Item } }) => ({ PutRequest: { Item } }))
    const batch = await client.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: requests } }))
    expect(batch.UnprocessedItems).toEqual({ [TableName]: requests.slice(1) })
    now = 500
    await put('hot')

    // The entries of many items may be in one partition of an index.
    for (let i = 0; i < 6; i++) await put(`item ${i}`, 'group')
    await expect(put('item 7', 'group')).rejects.toMatchObject(throttled)
    const query = () => client.send(new QueryCommand(ofGroup(TableName, 'group')))
    for (let i = 0; i < 4; i++) await query()
    await expect(query()).rejects.toMatchObject(throttled)
    const Key = { pk: { S: 'hot' } }
    const get = () => client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }))
    await get()
    await get()
    await expect(get()).rejects.toMatchObject(throttled)
    const Keys = [Key, { pk: { S: 'cold' } }]
    const read = await client.send(new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys } } }))
    expect(read.UnprocessedKeys).toEqual({ [TableName]: { Keys: [Key] } })
    expect(proxy.injected.limited).toBe(7)
    proxy.calm()
    await put('hot')
  })

  test('shows entries of an index late, and in the end each of them once', async () => {
    await using through = await proxied(engine, { lagMs: 300 })
    const { client, TableName, proxy } = through
    await client.send(new PutItemCommand({ TableName, Item: item('1') }))
    await proxy.settled()
    expect(await listed(client, TableName, 'a')).toEqual(['1'])
    let late = 0
    for (let i = 2; i < 12; i++) {
      await client.send(new PutItemCommand({ TableName, Item: item(String(i), 'b') }))
      if (!(await listed(client, TableName, 'b')).includes(String(i))) late += 1
    }
    expect(late).toBeGreaterThan(0)
    await client.send(new DeleteItemCommand({ TableName, Key: { pk: { S: '2' } } }))
    await proxy.settled()
    expect((await listed(client, TableName, 'b')).length).toBe(9)
    const { TableNames = [] } = await client.send(new ListTablesCommand({ Limit: 100 }))
    expect(TableNames.filter((name) => name.endsWith('.late'))).toEqual([])
  })

  test('an index that is late shows each item as it once was, and all of them in the end', async () => {
    const change = fc.record({
      kind: fc.constantFrom('put', 'update', 'delete', 'transaction', 'batch'),
      pk: fc.constantFrom('1', '2', '3'),
      other: fc.constantFrom('4', '5'),
      group: fc.constantFrom('a', 'b'),
    })
    await using through = await proxied(engine, { lagMs: 20 })
    const { client, TableName, proxy } = through
    const groupsOf = async (list: (group: string) => Promise<string[]>) => Promise.all(['a', 'b'].map(list))
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 12 }), async (changes) => {
        const model = new Map<string, string>()
        const once = new Map<string, Set<string>>()
        for (const { kind, pk, other, group } of changes) {
          const Key = { pk: { S: pk } }
          const put = (key: string) => {
            model.set(key, group)
            once.set(key, (once.get(key) ?? new Set()).add(group))
            return item(key, group)
          }
          if (kind === 'put') await client.send(new PutItemCommand({ TableName, Item: put(pk) }))
          if (kind === 'update') {
            const { group: S, at } = put(pk)
            const ExpressionAttributeNames = { '#group': 'group', '#at': 'at' }
            const ExpressionAttributeValues = { ':group': S as AttributeValue, ':at': at as AttributeValue }
            const UpdateExpression = 'SET #group = :group, #at = :at'
            const names = { ExpressionAttributeNames, ExpressionAttributeValues, UpdateExpression }
            await client.send(new UpdateItemCommand({ TableName, Key, ...names }))
          }
          if (kind === 'delete') {
            model.delete(pk)
            await client.send(new DeleteItemCommand({ TableName, Key }))
          }
          if (kind === 'transaction') {
            const parts = [{ Put: { TableName, Item: put(other) } }, { Delete: { TableName, Key } }]
            model.delete(pk)
            await client.send(new TransactWriteItemsCommand({ TransactItems: parts }))
          }
          if (kind === 'batch') {
            const parts = [{ PutRequest: { Item: put(pk) } }, { DeleteRequest: { Key: { pk: { S: other } } } }]
            model.delete(other)
            await client.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: parts } }))
          }
          for (const seen of ['a', 'b']) {
            const found = await listed(client, TableName, seen)
            expect(new Set(found).size).toBe(found.length)
            expect(found.filter((key) => !once.get(key)?.has(seen))).toEqual([])
          }
        }
        await proxy.settled()
        const right = ['a', 'b'].map((group) =>
          [...model]
            .filter(([, own]) => own === group)
            .map(([key]) => key)
            .sort(),
        )
        expect(await groupsOf((group) => listed(client, TableName, group))).toEqual(right)
        for (const key of model.keys()) await client.send(new DeleteItemCommand({ TableName, Key: { pk: { S: key } } }))
        await proxy.settled()
      }),
      { numRuns: engine.name === 'embedded' ? 15 : 4 },
    )
  })

  test('ends queries early, with keys that the engine takes', async () => {
    await using through = await proxied(engine, { rates: { short: 0.9 } })
    const { client, TableName, proxy } = through
    const all = Array.from({ length: 20 }, (_, i) => String(i))
    for (const pk of all) await client.send(new PutItemCommand({ TableName, Item: item(pk) }))
    for (let i = 0; i < 5; i++) expect((await listed(client, TableName, 'a')).sort()).toEqual(all.sort())
    expect(proxy.injected.short).toBeGreaterThan(5)
  })
})

const [embedded] = testEngines()
if (embedded === undefined) throw new Error('no engine')

test.each<[Partial<FaultRates>, boolean, string, readonly string[]]>([
  [
    { throttled: 0.7 },
    false,
    'put',
    ['ProvisionedThroughputExceededException', 'RequestLimitExceeded', 'ThrottlingException'],
  ],
  [
    { throttled: 0.7 },
    true,
    'transaction',
    ['TransactionCanceledException: ProvisionedThroughputExceeded', 'TransactionCanceledException: ThrottlingError'],
  ],
  [{ conflicted: 1 }, true, 'transaction', ['TransactionCanceledException: TransactionConflict']],
  [{ failed: 1 }, false, 'put', ['InternalServerError 500']],
  [{ cut: 1 }, false, 'put', ['TimeoutError: ECONNRESET']],
  [{ dropped: 1 }, false, 'put', ['TimeoutError: ECONNRESET']],
  [{ late: 1 }, false, 'put', ['TimeoutError: ECONNRESET']],
  [
    { denied: 1 },
    false,
    'put',
    ['AccessDeniedException', 'ExpiredTokenException', 'InvalidSignatureException', 'UnrecognizedClientException'],
  ],
])('%j reaches the SDK as DynamoDB tells it', async (rates, isTransaction, _, told) => {
  await using through = await proxied(embedded, { rates })
  const { client, TableName } = through
  const put = { TableName, Item: item('1') }
  const names = new Set<string>()
  for (let i = 0; i < 40; i++) {
    const sent = isTransaction
      ? client.send(new TransactWriteItemsCommand({ TransactItems: [{ Put: put }] }))
      : client.send(new PutItemCommand(put))
    await sent.catch(({ name, code, CancellationReasons, $metadata }) => {
      const status = $metadata?.httpStatusCode === 500 ? ' 500' : ''
      const reset = code === undefined ? '' : `: ${code}`
      names.add(
        `${name}${status}${reset}${(CancellationReasons ?? []).map(({ Code }: { Code: string }) => `: ${Code}`)}`,
      )
    })
  }
  expect([...names].sort()).toEqual(told)
})

test('a connection breaks before the effect, and after it', async () => {
  for (const [rates, isMade] of [
    [{ cut: 1 }, false],
    [{ dropped: 1 }, true],
    [{ late: 1 }, true],
  ] as const) {
    await using through = await proxied(embedded, { rates })
    const { client, TableName, proxy } = through
    await expect(client.send(new PutItemCommand({ TableName, Item: item('1') }))).rejects.toThrow()
    await proxy.settled()
    proxy.calm()
    const { Item } = await client.send(new GetItemCommand({ TableName, Key: { pk: { S: '1' } } }))
    expect(Item !== undefined).toBe(isMade)
  }
})

test('a silence lasts until the SDK has waited long enough, and ends with the faults', async () => {
  const agent = clientConfig('http://127.0.0.1:1', {}).requestHandler
  const requestHandler = { ...agent, requestTimeout: 300, throwOnRequestTimeout: true }
  await using through = await proxied(embedded, { rates: { silent: 1 } }, { requestHandler })
  const { client, TableName, proxy } = through
  const get = () => client.send(new GetItemCommand({ TableName, Key: { pk: { S: '1' } } }))
  await expect(get()).rejects.toMatchObject({ name: 'TimeoutError' })
  const patient = new DynamoDBClient({ ...clientConfig(proxy.endpoint, {}), maxAttempts: 2 })
  const waiting = patient.send(new GetItemCommand({ TableName, Key: { pk: { S: '1' } } }))
  await sleep(300)
  proxy.calm()
  expect(await waiting).toMatchObject({ $metadata: { attempts: 2 } })
  patient.destroy()
})

test('an answer has the checksum of its bytes', async () => {
  await using proxy = await startHostileProxy({ target: embedded.endpoint, seed: 7, rates: {} })
  const headers = { 'x-amz-target': 'DynamoDB_20120810.ListTables', 'x-amz-date': '20200101T000000Z' }
  const authorization =
    'AWS4-HMAC-SHA256 Credential=local/20200101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=none'
  const answer = await fetch(proxy.endpoint, {
    method: 'POST',
    headers: { ...headers, authorization, 'content-type': 'application/x-amz-json-1.0' },
    body: '{}',
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  expect(answer.headers.get('x-amz-crc32')).toBe(String(crc32(bytes)))
  expect(JSON.parse(bytes.toString())).toHaveProperty('TableNames')
})

test('a fault of a test of one’s own is put between', async () => {
  let lost = 0
  await using through = await proxied(embedded, {
    through: (client) =>
      intercepted<DynamoDBClient>(client, async (command, send) => {
        const answer = await send(command)
        if (command instanceof PutItemCommand && lost++ === 0) throw new Error('lost')
        return answer
      }),
  })
  const { client, TableName, proxy } = through
  const put = () => client.send(new PutItemCommand({ TableName, Item: item('1') }))
  await expect(put()).rejects.toMatchObject({ code: 'ECONNRESET' })
  await put()
  expect(proxy.befallen).toEqual({ PutItem: 1 })
})

test('a target that is no local address is refused', async () => {
  const target = 'https://dynamodb.us-east-1.amazonaws.com'
  await expect(startHostileProxy({ target, seed: 7 })).rejects.toThrow(/no place for signed requests/)
})

test('indexes that stand still are those of the moment', async () => {
  await using through = await proxied(embedded)
  const { client, TableName } = through
  await using late = lateIndexes(client)
  await late.client.send(new PutItemCommand({ TableName, Item: item('1') }))
  const query = new QueryCommand(ofGroup(TableName, 'a'))
  expect((await late.client.send(query)).Items).toHaveLength(1)
  late.hold()
  await late.client.send(new PutItemCommand({ TableName, Item: item('2') }))
  expect((await late.client.send(query)).Items).toHaveLength(1)
  expect((await client.send(query)).Items).toHaveLength(2)
})

test('indexes show what was written by the time of asking, while writes go on', async () => {
  await using through = await proxied(embedded)
  const { client, TableName } = through
  await using late = lateIndexes(client, { lagMs: 50, random: () => 1 })
  const put = (id: string) => late.client.send(new PutItemCommand({ TableName, Item: item(id) }))
  await put('first')
  const stop = AbortSignal.timeout(10_000)
  let isShown = false
  const writing = (async () => {
    for (let i = 0; !isShown && !stop.aborted; i++) await put(`${i}`)
  })()
  await late.settled()
  isShown = true
  expect(stop.aborted).toBe(false)
  expect((await late.client.send(new QueryCommand(ofGroup(TableName, 'a')))).Items?.length).toBeGreaterThan(0)
  await writing
})
