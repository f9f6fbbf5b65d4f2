import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { tableFor } from 'lapidary'
import { cdkCode, cloudFormationTemplate } from 'lapidary/schema'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { comments } from '../../../apps/comments/src/comment.ts'
import { KB, told, weightOf } from './bundle-weight.ts'
import { type Deployed, deploy } from './deployed.ts'
import { type Asked, allows, type Statement } from './policy.ts'
import { type Synthesized, synthesize, synthesized } from './synthesized.ts'
import { type Viewer, viewerOf } from './viewer.ts'

const STACKS = fileURLToPath(new URL('../stacks/', import.meta.url))
const ADMIN = 'the-admin-token-of-a-test'
const WRITER = 'the-writer-token-of-a-test'

let assembly: Awaited<ReturnType<typeof synthesized>>
let stack: Synthesized

beforeAll(async () => {
  assembly = await synthesized()
  stack = assembly.stack('Orders')
})

test('the stacks compile', async () => {
  await promisify(execFile)('npx', ['--no-install', 'tsc', '-p', STACKS])
})

describe('the table', () => {
  const SHAPE = [
    'KeySchema',
    'AttributeDefinitions',
    'GlobalSecondaryIndexes',
    'StreamSpecification',
    'TimeToLiveSpecification',
  ]
  const shapeOf = (name: string): object => {
    const { Properties } = assembly.stack(name).only('AWS::DynamoDB::GlobalTable')
    return Object.fromEntries(SHAPE.map((property) => [property, Properties[property]]))
  }

  test('is what the command line prints for the CDK and for CloudFormation', () => {
    const definition = tableFor({ tableName: 'comments', collections: { comments } })
    expect(readFileSync(`${STACKS}printed-table.ts`, 'utf8')).toBe(cdkCode(definition))
    expect(shapeOf('Comments')).toEqual(shapeOf('Printed'))
    const [printed] = Object.values(cloudFormationTemplate(definition).Resources) as { readonly Properties: object }[]
    const { AttributeDefinitions: _, ...shape } = shapeOf('Comments') as { readonly AttributeDefinitions: unknown }
    expect(printed?.Properties).toMatchObject(shape)
  })

  test('is protected, recoverable, kept when the stack goes, and has no fixed name, so that several stages are in one account', () => {
    for (const name of ['Comments', 'CommentsTest', 'Orders']) {
      const { Properties, DeletionPolicy } = assembly.stack(name).only('AWS::DynamoDB::GlobalTable')
      expect(DeletionPolicy).toBe('Retain')
      expect(Properties.TableName).toBeUndefined()
      expect(Properties.Replicas[0]).toMatchObject({
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      })
    }
  })

  test('of a restored backup is taken over as it is', () => {
    const restored = assembly.stack('CommentsRestored')
    expect(restored.all('AWS::DynamoDB::GlobalTable')).toEqual([])
    const { EventSourceArn } = restored.only('AWS::Lambda::EventSourceMapping').Properties
    expect(EventSourceArn).toMatch(/:table\/comments-restored\/stream\//)
    expect(restored.function('CommentsStream').variables.TABLE_NAME).toBe('comments-restored')
    const rights = restored.function('CommentsSiteFunction').rights
    expect(allows(rights, asked('Query', [], 'table/index/byRating'))).toBe(true)
  })
})

test('the pages take at most 350 KB at a cold start, the API of a configuration 300 KB, and the stream 230 KB', () => {
  const weigh = (name: string, of: string): number => {
    const weight = weightOf(assembly.stack(name).function(of).bundle)
    told(of, weight)
    return weight.atStart
  }
  expect(weigh('Comments', 'CommentsSiteFunction')).toBeLessThan(350 * KB)
  expect(weigh('Orders', 'OrdersApiFunction')).toBeLessThan(300 * KB)
  expect(weigh('Orders', 'OrdersStream')).toBeLessThan(230 * KB)
})

test('nothing that holds data goes with the stack', () => {
  const HOLDS = [
    'DynamoDB::GlobalTable',
    'SecretsManager::Secret',
    'Logs::LogGroup',
    'SQS::Queue',
    'S3::Bucket',
    'KMS::Key',
  ]
  const gone = ['Comments', 'CommentsTest', 'Orders', 'CommentsAbroad', 'CommentsAbroadEdge'].flatMap((name) =>
    Object.entries(assembly.stack(name).resources)
      .filter(([, { Type }]) => HOLDS.some((type) => Type === `AWS::${type}`))
      .filter(([, { DeletionPolicy }]) => DeletionPolicy !== 'Retain')
      .map(([id]) => id),
  )
  expect(gone).toEqual([])
})

test('the event source mapping is as the change stream needs it', () => {
  expect(stack.only('AWS::Lambda::EventSourceMapping').Properties).toMatchObject({
    ...{ StartingPosition: 'TRIM_HORIZON', TumblingWindowInSeconds: 900, ParallelizationFactor: 1, BatchSize: 1000 },
    ...{ FunctionResponseTypes: ['ReportBatchItemFailures'], MaximumRetryAttempts: -1 },
    ...{
      MaximumBatchingWindowInSeconds: 1,
      FilterCriteria: { Filters: [{ Pattern: expect.stringContaining('ORDER#') }] },
    },
    DestinationConfig: {
      OnFailure: { Destination: { 'Fn::GetAtt': [expect.stringMatching(/^OrdersFailures/), 'Arn'] } },
    },
  })
})

test('every alarm tells somebody, and says what it means', () => {
  const alarms = stack.all('AWS::CloudWatch::Alarm')
  expect(alarms.length).toBeGreaterThan(15)
  for (const { Properties } of alarms) {
    expect(Properties.AlarmActions).toEqual([{ Ref: expect.stringMatching(/^OrdersAlarms/) }])
    expect(Properties.AlarmDescription.length).toBeGreaterThan(30)
  }
  const breaching = alarms.filter(({ Properties }) => Properties.TreatMissingData === 'breaching')
  expect(breaching.map(({ Properties }) => Properties.AlarmDescription)).toEqual([
    expect.stringContaining('No upkeep ended well'),
  ])
})

test('an API in another region without its edge, and an entry that is not there, are refused with what to do', async () => {
  await expect(synthesize('nowhere')).rejects.toThrow(
    /us-east-1 alone, and this is in eu-central-1: .* give it as edge/,
  )
  await expect(synthesize('missing')).rejects.toThrow(
    /entry is orders\.config\.js, which does not exist; name a file from/,
  )
})

describe('roles', () => {
  const rights = (name: string): readonly Statement[] => stack.function(name).rights
  const may = (who: readonly Statement[], action: string, key: string, attributes: readonly string[] = []): boolean =>
    allows(who, asked(action, [key], 'table', attributes))

  test('who lists writes nothing', () => {
    for (const reader of [rights('OrdersReportsFunction'), stack.rightsOfRole('Reader')]) {
      expect(allows(reader, asked('Query', [], 'table/index/all'))).toBe(true)
      for (const action of ['PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem', 'BatchWriteItem'])
        for (const key of ['ORDER#1', '~counts.x#ORDER#c1', '~DERIVED']) expect(may(reader, action, key)).toBe(false)
    }
  })

  test('who writes items writes nothing that is derived from them', () => {
    for (const writer of [rights('OrdersApiFunction'), stack.rightsOfRole('Writer')]) {
      expect(may(writer, 'PutItem', 'ORDER#1')).toBe(true)
      expect(may(writer, 'PutItem', '~once#ORDER#key')).toBe(true)
      for (const key of [
        '~counts.x#ORDER#c1',
        '~STREAM#shard',
        '~leaders.x/ORDER/b/0',
        '~pages#x',
        '~INDEXES#ORDER',
        'OTHER#1',
      ])
        for (const action of ['PutItem', 'UpdateItem', 'DeleteItem']) expect(may(writer, action, key), key).toBe(false)
      // It notes what it reads, beside what is registered.
      expect(may(writer, 'UpdateItem', '~DERIVED', ['PK', 'SK', 'ORDER.counts.x'])).toBe(true)
      expect(may(writer, 'UpdateItem', '~DERIVED', ['PK', 'SK', 'shapes'])).toBe(false)
      expect(may(writer, 'PutItem', '~DERIVED', ['PK', 'SK'])).toBe(false)
      expect(allows(writer, asked('Scan', []))).toBe(false)
    }
  })

  test('who counts writes no item', () => {
    const stream = rights('OrdersStream')
    expect(may(stream, 'PutItem', '~counts.x#ORDER#c1')).toBe(true)
    expect(may(stream, 'PutItem', 'ORDER#1')).toBe(false)
    expect(allows(stream, asked('Scan', []))).toBe(false)
  })

  test('a secret is read by the functions that need it, and is a variable of none', () => {
    const readers = ['OrdersStream', 'OrdersUpkeep', 'OrdersApiFunction', 'OrdersReportsFunction'].map((name) => [
      name,
      rights(name).flatMap(({ actions, resources }) =>
        actions.includes('secretsmanager:GetSecretValue')
          ? resources.map((arn) => arn.replace(/[0-9A-F]{8}"}$/, '"}'))
          : [],
      ),
    ])
    expect(Object.fromEntries(readers)).toEqual({
      ...{ OrdersStream: [], OrdersUpkeep: [] },
      OrdersApiFunction: [
        '{"Ref":"OrdersApiCursorSecret"}',
        '{"Ref":"OrdersApiAdminToken"}',
        '{"Ref":"OrdersApiWriterToken"}',
      ],
      OrdersReportsFunction: ['{"Ref":"OrdersReportsCursorSecret"}', '{"Ref":"OrdersReportsAdminToken"}'],
    })
    expect(readFileSync(stack.file, 'utf8')).not.toContain('resolve:secretsmanager')
  })
})

describe('the functions', () => {
  let deployed: Deployed
  let sent: Viewer

  beforeAll(async () => {
    ;[deployed, sent] = await Promise.all([
      deploy(stack, {
        ...{
          OrdersApiAdminToken: ADMIN,
          OrdersApiWriterToken: WRITER,
          OrdersApiCursorSecret: 'the cursor secret of the api',
        },
        ...{ OrdersReportsAdminToken: ADMIN, OrdersReportsCursorSecret: 'the cursor secret of reports' },
      }),
      viewerOf(stack),
    ])
  })
  afterAll(() => deployed[Symbol.asyncDispose]())

  test('serve the collections of a configuration', async () => {
    await using upkeep = await deployed.start('OrdersUpkeep')
    await using api = await deployed.start('OrdersApiFunction')
    await using reports = await deployed.start('OrdersReportsFunction')
    await using stream = await deployed.start('OrdersStream')
    expect(await deployed.prepare(upkeep)).toMatchObject({ Status: 'SUCCESS' })
    const headers = { authorization: `Bearer ${WRITER}` }
    for (let i = 0; i < 12; i++) {
      const body = { customer: 'c1', placedAt: `2020-11-0${1 + (i % 9)}T12:00:00.000Z`, status: 'OPEN', total: i }
      expect(await api.invoke(await sent('/orders', { method: 'POST', headers, body }))).toMatchObject({
        statusCode: 201,
      })
    }
    for (const event of await deployed.streamEvents()) await stream.invoke(event)
    const page = await api.invoke<Answer>(await sent('/orders?scope=c1&status=OPEN&limit=5'))
    expect(JSON.parse(page.body)).toMatchObject({ items: expect.any(Array), page: { total: 12 } })
    expect(JSON.parse(page.body).items).toHaveLength(5)
    const read = await reports.invoke<Answer>(await sent('/orders?scope=c1&limit=100'))
    expect(JSON.parse(read.body).items).toHaveLength(12)
    expect(await api.invoke<Answer>(await sent('/docs'))).toMatchObject({ statusCode: 200 })
    expect(await api.invoke<Answer>(await sent('/readyz'))).toMatchObject({ statusCode: 200 })

    expect([upkeep, api, stream].map(({ guard }) => guard.refused)).toEqual([[], [], []])
    // Who may only read can't note what it reads, which the others do.
    expect(reports.guard.refused.filter((what) => what !== 'UpdateItem of ~DERIVED')).toEqual([])
  })

  test('an API that only reads refuses a write as DynamoDB refuses its role', async () => {
    await using reports = await deployed.start('OrdersReportsFunction')
    const headers = { authorization: `Bearer ${ADMIN}` }
    const body = { customer: 'c1', placedAt: '2020-11-01T12:00:00.000Z', status: 'OPEN', total: 1 }
    const answer = await reports.invoke<Answer>(await sent('/orders', { method: 'POST', headers, body }))
    expect(answer.statusCode).toBe(503)
    expect(reports.guard.refused.some((what) => what.includes('ORDER#'))).toBe(true)
  })

  test('a cursor of before a rotation leads on after it, and after the next one no more', async () => {
    const page = async (cursor?: string): Promise<{ readonly statusCode: number; readonly next?: string }> => {
      await using api = await deployed.start('OrdersApiFunction')
      const more = cursor === undefined ? '' : `&cursor=${cursor}`
      const { statusCode, body } = await api.invoke<Answer>(await sent(`/orders?scope=c1&limit=5${more}`))
      return { statusCode, next: JSON.parse(body).cursors?.next }
    }
    const { next } = await page()
    expect(next).toMatch(/^[\w-]{20,}$/)
    await deployed.rotate('OrdersApiCursorSecret', 'the second cursor secret of the api')
    expect(await page(next)).toMatchObject({ statusCode: 200 })
    await deployed.rotate('OrdersApiCursorSecret', 'the third cursor secret of the api')
    expect(await page(next)).toMatchObject({ statusCode: 400 })
  })

  test('a token that was rotated is good at once in a new function, and the one before it too', async () => {
    await deployed.rotate('OrdersApiWriterToken', 'another-writer-token-of-a-test')
    await using api = await deployed.start('OrdersApiFunction')
    const body = { customer: 'c2', placedAt: '2020-11-01T12:00:00.000Z', status: 'OPEN', total: 1 }
    const status = async (token: string): Promise<number> => {
      const headers = { authorization: `Bearer ${token}` }
      return (await api.invoke<Answer>(await sent('/orders', { method: 'POST', headers, body }))).statusCode
    }
    expect(await Promise.all([status(WRITER), status('another-writer-token-of-a-test')])).toEqual([201, 201])
    expect(await status('a-token-that-was-never-one')).toBe(401)
  })
})

interface Answer {
  readonly statusCode: number
  readonly body: string
}

function asked(
  action: string,
  leadingKeys: readonly string[],
  resource = 'table',
  attributes: readonly string[] = [],
): Asked {
  return { action, leadingKeys, resource, attributes }
}
