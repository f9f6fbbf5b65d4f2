import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { layoutNamed, segments } from 'lapidary'
import { createMetrics } from 'lapidary-http/internal'
import {
  type CancellationCode,
  canceledTransaction,
  DYNAMODB_ERROR_NAMES,
  dynamodbError,
  intercepted,
} from 'lapidary-testing'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSdkClient, dropTables, uniqueTableName } from '../../../test/engines/index.ts'
import { createApp } from '../src/app.ts'
import { createServices } from '../src/services.ts'
import { ADMIN, type Answer, engineOf, newComment, readAnswer } from './test-app.ts'

type Refusal = (command: object, send: () => Promise<unknown>) => Error | undefined | Promise<Error | undefined>

const isTransaction = (command: object): boolean => command.constructor.name === 'TransactWriteItemsCommand'

/** The errors that any command may meet. Conditions and the stream's own errors never answer a request. */
const OF_COMMANDS: readonly (readonly [string, Refusal])[] = [
  ...DYNAMODB_ERROR_NAMES.filter((name) => !/^(Conditional|ExpiredIterator|Trimmed|Validation)/.test(name)).map(
    (name) => [name, () => dynamodbError(name)] as const,
  ),
  ...['ECONNRESET', 'ECONNREFUSED', 'ETIMEDOUT', 'EPIPE', 'ENOTFOUND'].map(
    (code) => [code, () => Object.assign(new Error('no'), { code })] as const,
  ),
]

const REASONS: readonly (readonly CancellationCode[])[] = [
  ['ThrottlingError', 'None'],
  ['None', 'ProvisionedThroughputExceeded'],
  ['TransactionConflict', 'None'],
  ['TransactionConflict', 'ConditionalCheckFailed'],
  ['ConditionalCheckFailed', 'ThrottlingError'],
  ['ItemCollectionSizeLimitExceeded', 'ThrottlingError'],
  ['ValidationError', 'None'],
  [],
]

describe.each(['indexes', 'power-set'] as const)('in the layout %s, an error of the database', (layoutName) => {
  const layout = layoutNamed(layoutName)
  const client = createSdkClient(engineOf(layout))
  const tableName = uniqueTableName()
  let refusal: Refusal | undefined
  const log: string[] = []
  const refusing = intercepted<DynamoDBClient>(client, async (command, send) => {
    const error = await refusal?.(command, () => send(command))
    if (error !== undefined) throw error
    return send(command)
  })
  const open = (given: DynamoDBClient, random: () => number) =>
    createServices({
      ...{ client: given, tableName, layout, cursorSecret: 'a secret of the tests', random },
      derived: { counts: true, pages: segments() },
    })
  const app = createApp(
    // No pauses between tries.
    open(refusing, () => 0),
    {
      tokens: { admin: ADMIN },
      logger: pino({ level: 'error' }, { write: (line: string) => log.push(line) }),
      metrics: createMetrics({ process: false }),
      readiness: {},
    },
  )
  const plain = open(client, Math.random)

  const headers = { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json' }
  const body = (changes: object = {}): string => JSON.stringify(newComment({ ...changes }))
  const REQUESTS: Readonly<Record<string, readonly [path: string, init?: RequestInit]>> = {
    list: ['/products/42/comments?rating=5'],
    page: ['/products/42/comments?page=2&limit=1'],
    look: ['/comments/there'],
    statistics: ['/products/42/statistics'],
    highlights: ['/products/42/highlights'],
    leaderboard: ['/leaderboards/five-star'],
    'web page': ['/p/42', { headers: { accept: 'text/html' } }],
    create: ['/products/42/comments', { method: 'POST', body: body() }],
    'create once': [
      '/products/42/comments',
      { method: 'POST', body: body(), headers: { ...headers, 'idempotency-key': 'once' } },
    ],
    change: ['/comments/there', { method: 'PATCH', body: JSON.stringify({ rating: 1 }) }],
    'change a version': [
      '/comments/there',
      { method: 'PATCH', body: JSON.stringify({ rating: 1 }), headers: { ...headers, 'if-match': '"1"' } },
    ],
    delete: ['/comments/there', { method: 'DELETE' }],
    'delete a version': ['/comments/there', { method: 'DELETE', headers: { ...headers, 'if-match': '"1"' } }],
  }
  const ask = async ([path, init]: readonly [string, RequestInit?]): Promise<Answer> =>
    readAnswer(await app.request(path, { headers, ...init }))

  beforeAll(async () => {
    await plain.database.table.create()
    await plain.comments.create({ ...newComment(), id: 'there', productId: '42' } as never)
    await plain.comments.create({ ...newComment(), id: 'there too', productId: '42' } as never)
  })
  afterAll(() => dropTables(client, [tableName]))

  async function answers(to: Refusal): Promise<Readonly<Record<string, Answer>>> {
    refusal = to
    log.length = 0
    try {
      const asked: Record<string, Answer> = {}
      for (const [name, request] of Object.entries(REQUESTS)) asked[name] = await ask(request)
      return asked
    } finally {
      refusal = undefined
    }
  }

  test.each(OF_COMMANDS)('%s is 503, to be tried again, and shows nothing of itself', async (_, refuse) => {
    for (const [name, { status, headers, body }] of Object.entries(await answers(refuse))) {
      expect([status, headers.get('retry-after')], name).toEqual([503, '1'])
      if (name !== 'web page') expect(body.code, name).toBe('unavailable')
      expect(JSON.stringify(body), name).not.toMatch(/arn:/)
    }
    expect(log).toHaveLength(Object.keys(REQUESTS).length)
  })

  test('a refusal of its credentials is in the log, with what was refused to whom', async () => {
    await answers(() => dynamodbError('AccessDeniedException'))
    expect(log[0]).toMatch(/"code":"access_denied"/)
    expect(log[0]).toMatch(/User: arn:aws:iam::111122223333:user\/someone is not authorized/)
  })

  test('a deletion whose answer was lost, and whose next try was refused, is not said to have found nothing', async () => {
    await plain.comments.upsert({ ...newComment(), id: 'lost', productId: '42' } as never)
    let tries = 0
    refusal = async (command, send) => {
      if (!isTransaction(command) || tries++ > 1) return undefined
      if (tries === 2) return canceledTransaction(['TransactionConflict', 'None'])
      await send()
      return dynamodbError('InternalServerError')
    }
    const { status, body } = await ask(['/comments/lost', { method: 'DELETE' }]).finally(() => {
      refusal = undefined
    })
    expect([status, body.code, tries]).toEqual([503, 'unavailable', 2])
    expect((await ask(['/comments/lost', { method: 'DELETE' }])).status).toBe(404)
  })

  test.each(REASONS)('a transaction canceled for %s and %s is never a 500', async (...reasons) => {
    const asked = await answers((command) => (isTransaction(command) ? canceledTransaction(reasons) : undefined))
    const statuses = Object.values(asked).map(({ status }) => status)
    expect(statuses.filter((status) => ![200, 201, 204, 404, 409, 412, 422, 503].includes(status))).toEqual([])
    const { 'create once': once } = asked
    expect(once?.status).toBe(
      reasons.includes('ValidationError') ? 422 : reasons[1] === 'ConditionalCheckFailed' ? 409 : 503,
    )
    await plain.comments.upsert({ ...newComment(), id: 'there', productId: '42', version: 1 } as never)
  })

  test('one that is throttled a few times is made, once', async () => {
    let left = 3
    refusal = (command) =>
      isTransaction(command) && left-- > 0 ? canceledTransaction(['None', 'ThrottlingError']) : undefined
    try {
      const first = await ask(REQUESTS['create once'] as never)
      const again = await ask(REQUESTS['create once'] as never)
      expect([first.status, again.status, left < 0]).toEqual([201, 201, true])
      expect(again.body).toEqual(first.body)
    } finally {
      refusal = undefined
    }
  })
})
