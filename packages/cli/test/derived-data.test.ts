import { once } from 'node:events'
import {
  DeleteItemCommand,
  DynamoDBClient,
  PutItemCommand,
  ScanCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb'
import { describe, expect, it } from 'vitest'
import { finished, openCliHome } from './run-cli.ts'

const DIGITS = '12345678901234567890.123456789'
const GENERATE = ['generate', '--products', '5', '--comments', '60', '--seed', '3']

/** Finds the partition with the counts of a product; it has the digest of a shape between the kind and the collection. */
async function countsPartition(client: DynamoDBClient, product: string): Promise<string> {
  const { Items = [] } = await client.send(new ScanCommand({ TableName: 'comments', ConsistentRead: true }))
  const partitions = Items.map(({ PK }) => PK?.S ?? '')
  const found = partitions.find((PK) => PK.startsWith('~counts.') && PK.endsWith(`#COMMENT#${product}`))
  return found ?? expect.fail(`no counts of ${product}`)
}

// Run at the same time, since each waits for what the change stream may still bring.
describe.concurrent('lapidary verify, repair, rebuild, stream and count', () => {
  it('rebuilds, counts, and mends the one counter that was spoilt', async () => {
    await using home = await openCliHome()
    await home.run(GENERATE)
    const rebuilt = await home.run(['rebuild', 'statistics', '--json'])
    expect(rebuilt.code).toBe(0)
    expect(JSON.parse(rebuilt.stdout)).toMatchObject({ items: 60, pending: 0, dryRun: false })
    const comments = (await home.run(['export'])).stdout.trim().split('\n')
    const products = comments.map((line) => (JSON.parse(line) as { productId: string }).productId)
    const product = products[0] ?? ''
    const counted = JSON.parse((await home.run(['count', '--scope', product, '--json'])).stdout)
    expect(counted).toMatchObject({ total: products.filter((each) => each === product).length })

    const client = new DynamoDBClient(home.engine.clientConfig)
    await client.send(
      new UpdateItemCommand({
        TableName: 'comments',
        Key: { PK: { S: await countsPartition(client, product) }, SK: { S: '~' } },
        UpdateExpression: 'ADD count_total :n',
        ExpressionAttributeValues: { ':n': { N: '100' } },
      }),
    )
    client.destroy()
    const spoilt = await home.run(['verify'])
    expect(spoilt.code).toBe(1)
    expect(spoilt.stdout).toMatch(
      /^wrong {4}counts {7}~counts\.\S+#COMMENT#\S+ ~ count_total: expected \d+, is \d+\n60 items recounted/,
    )
    const dry = await home.run(['repair', '--dry-run', '--json'])
    expect(JSON.parse(dry.stdout)).toMatchObject({ dryRun: true, mended: 0, differenceCount: 1 })
    expect((await home.run(['repair', '--json'])).code).toBe(0)
    const sound = await home.run(['verify', '--sample', '3', '--json'])
    expect(sound.code).toBe(0)
    expect(JSON.parse(sound.stdout)).toMatchObject({
      notVerified: ['default', 'helpful', 'rating'].map(() => ({ reason: 'sample' })),
    })
    expect((await home.run(['verify', '--sample', '3'])).stdout).toContain(
      'the page index of COMMENT in dynamodb was NOT verified: a sample leaves it out',
    )
    expect(JSON.parse((await home.run(['verify', '--json'])).stdout)).toMatchObject({ differenceCount: 0, items: 60 })
  })

  it('streams until it is told to end', async () => {
    await using home = await openCliHome()
    await home.run(GENERATE)
    const child = home.start(['stream'])
    const result = finished(child)
    if (child.stderr !== null) await once(child.stderr, 'data')
    for (let pending = 60; pending > 0; ) {
      pending = (JSON.parse((await home.run(['stream', '--dry-run', '--json'])).stdout) as { pending: number }).pending
    }
    child.kill('SIGTERM')
    expect(await result).toMatchObject({ code: 0, stderr: expect.stringContaining('stopped') })
    expect((await home.run(['doctor'])).stdout).toContain('ok     stream: 1 shard')
  })

  it('rebuilds the page index, from which pages are read by number', async () => {
    await using home = await openCliHome()
    await home.run(GENERATE)
    const exported = (await home.run(['export'])).stdout.trim().split('\n')
    const [scope = '', other = ''] = new Set(exported.map((line): string => JSON.parse(line).productId))
    // Counts are unknown in a table whose change stream no process has counted.
    expect((await home.run(['rebuild', 'statistics'])).code).toBe(0)
    const rebuilt = await home.run(['rebuild', 'page-index', '--json'])
    expect(JSON.parse(rebuilt.stdout)).toMatchObject({ items: 60, dryRun: false })
    const missing = await home.run(['rebuild', 'page-index', '--missing', '--json'])
    expect(JSON.parse(missing.stdout)).toMatchObject({ items: 0 })
    expect(await home.run(['rebuild', 'statistics', '--missing'])).toMatchObject({ code: 2 })
    expect(JSON.parse((await home.run(['verify', '--json'])).stdout)).toMatchObject({ notVerified: [] })
    expect((await home.run(['doctor'])).stdout).toContain('ok     page index: pages by number, from dynamodb')
    const all = JSON.parse((await home.run(['list', '--scope', scope, '--limit', '100', '--json'])).stdout).items
    const asked = ['--scope', scope, '--limit', '2', '--page', '3']
    const third = JSON.parse((await home.run(['list', ...asked, '--json'])).stdout)
    expect(third.items).toEqual(all.slice(4, 6))
    expect(third.page).toMatchObject({ number: 3, total: all.length })
    expect((await home.run(['list', ...asked])).stdout).toContain(`page 3 of ${Math.ceil(all.length / 2)}`)
    const both = ['--scope', other, '--scope', scope]
    const merged = JSON.parse((await home.run(['list', ...both, '--limit', '100', '--json'])).stdout).items
    const second = await home.run(['list', ...both, '--limit', '4', '--page', '2', '--json'])
    expect(JSON.parse(second.stdout)).toMatchObject({ items: merged.slice(4, 8), page: { total: merged.length } })
    const far = ['--scope', scope, '--limit', '2', '--page', '1100']
    expect((await home.run(['list', ...far])).stdout).toMatch(
      /page 1100 is past the end of \d+ pages, \d+ items in all; page index: [\d.]+ RCU, \d rounds?\n/,
    )
    expect((await home.run(['explain', ...far])).stdout).toMatch(
      /PAGE INDEX OFFSET 2198 .*\(actual [\d.]+ RCU, \d requests?, \d rounds?\)/,
    )
  })

  it('verifies, rebuilds and defines a table by power set', async () => {
    await using home = await openCliHome()
    const env = { LAYOUT: 'power-set' }
    const run = async (...args: string[]) => home.run(args, { env })
    expect((await run('generate', '--products', '2', '--comments', '12', '--seed', '3')).code).toBe(0)
    expect((await run('rebuild', 'statistics')).code).toBe(0)
    expect((await run('rebuild', 'page-index')).code).toBe(0)
    const sound = await run('verify', '--json')
    expect(JSON.parse(sound.stdout)).toMatchObject({ differenceCount: 0, items: 12 })
    const definition = JSON.parse((await run('table', '--format', 'create-table')).stdout)
    expect(definition.GlobalSecondaryIndexes.map((index: { IndexName: string }) => index.IndexName)).toEqual([
      ...['lists', 'listsByHelpful', 'listsByRating'],
    ])
    expect((await run('table', '--format', 'workbench')).stdout).toContain('k.lists')
    expect((await run('table', '--format', 'cdk')).stdout).toContain("indexName: 'lists'")
    expect((await run('doctor')).stdout).toContain(
      'ok     declaration: keys, indexes (lists, listsByHelpful, listsByRating)',
    )
    const lines = (await run('export')).stdout.trim().split('\n')
    expect(lines).toHaveLength(12)
    const { id, productId, rating } = JSON.parse(lines[0] ?? '')
    const found = await run('explain', '--scope', productId, '--where', `rating=${rating}`)
    expect(found.stdout).toContain(`lists[${productId}/~/${rating}]`)

    const client = new DynamoDBClient(home.engine.clientConfig)
    const Key = { PK: { S: `COMMENT#${id}` }, SK: { S: `~/=/${rating}` } }
    await client.send(new DeleteItemCommand({ TableName: 'comments', Key }))
    client.destroy()
    const recent = await run('verify', '--since', '1h')
    expect(recent).toMatchObject({ code: 1, stdout: expect.stringMatching(/^missing {2}duplicates {3}COMMENT#/) })
    expect(await run('verify', '--since', '1 hour')).toMatchObject({ code: 2 })
    expect(await run('verify', '--since', '1h', '--sample', '3')).toMatchObject({ code: 2 })
    expect((await run('rebuild', 'duplicates')).stdout).toContain('1 derived item mended')
    expect((await run('verify', '--since', '1h')).code).toBe(0)
  })

  it('says what can not be rebuilt, and what is no such thing', async () => {
    await using home = await openCliHome()
    await home.run(GENERATE)
    expect(await home.run(['rebuild', 'duplicates'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no duplicates'),
    })
    expect(await home.run(['rebuild', 'everything'])).toMatchObject({ code: 2 })
  })

  it('names the items that can not be counted or read, and why', async () => {
    await using home = await openCliHome()
    await home.run(GENERATE)
    const [first, second] = (await home.run(['export'])).stdout.split('\n').map((line) => JSON.parse(line || '{}').id)
    const client = new DynamoDBClient(home.engine.clientConfig)
    const change = (id: string, update: Pick<UpdateItemCommandInput, 'UpdateExpression'>) => {
      const Key = { PK: { S: `COMMENT#${id}` }, SK: { S: '~' } }
      return client.send(new UpdateItemCommand({ TableName: 'comments', Key, ...update }))
    }
    // The stored names, and no key of an index that a backfill would mend.
    const names = { ExpressionAttributeNames: { '#l': 'l', '#kl': 'k.l', '#klr': 'k.l.r' } }
    const listed = { ...names, ExpressionAttributeValues: { ':list': { L: [{ S: 'en' }] } } }
    await change(first, { UpdateExpression: 'SET #l = :list REMOVE #kl, #klr', ...listed })
    const values = { ExpressionAttributeValues: { ':n': { N: DIGITS } } }
    await change(second, { UpdateExpression: 'SET v = :n', ...values })
    client.destroy()
    const uncountable = `1 item can't be counted:\n  COMMENT#${first}: `
    expect((await home.run(['rebuild', 'statistics'])).stdout).toContain(uncountable)
    const { code, stdout } = await home.run(['verify'])
    // There is no difference: the derived data is right, and the items have to be mended.
    expect([code, stdout]).toEqual([0, expect.stringContaining(uncountable)])
    expect(stdout).toMatch(/^ {2}COMMENT#\S+: language /m)
    expect(stdout).toContain(`1 item can't be read, so lists leave it out:\n  COMMENT#${second}: `)
    expect(stdout).toContain(`its version is ${DIGITS}`)
  })

  it('names what could not be counted, and why', async () => {
    await using home = await openCliHome()
    await home.run(GENERATE)
    const client = new DynamoDBClient(home.engine.clientConfig)
    const letter = {
      ...{ PK: { S: '~DEADLETTER' }, SK: { S: `shard-1#${'7'.padStart(40, '0')}` }, at: { N: '0' } },
      ...{ item: { M: { PK: { S: 'COMMENT#7' }, SK: { S: '~' } } }, refusedBy: { L: [] } },
      reason: { S: 'its rating is missing' },
    }
    await client.send(new PutItemCommand({ TableName: 'comments', Item: letter }))
    client.destroy()
    const { stdout } = await home.run(['doctor'])
    expect(stdout).toContain('dead letters: 1 change could not be counted (COMMENT#7: its rating is missing)')
    expect(stdout).not.toContain('lapidary verify')
    expect((await home.run(['stream', '--dry-run'])).stdout).toMatch(/^1 shard, /)
  })
})
