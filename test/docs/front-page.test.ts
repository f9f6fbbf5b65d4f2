import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AttributeValue, type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb'
import { anyOf, type Collection, type CollectionClient, createLapidary, defineCollection, oneOf } from 'lapidary'
import { importItems } from 'lapidary/transfer'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Comment, generateComments } from '../../bench/src/comments.ts'
import { seededRandom } from '../../bench/src/random.ts'
import { GEM } from '../../packages/http/src/pages/gem.ts'
import { ROOT } from '../architecture/sources.ts'
import { createSdkClient, dropTables, testEngines, uniqueTableName } from '../engines/index.ts'

const page = readFileSync(join(ROOT, 'site/front-page.md'), 'utf8')
const [declaration = '', query = ''] = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code)

/** The comments that the front page speaks of. */
const COMMENTS = 2_000
/** A page of Lapidary, when nothing else is said. */
const PAGE = 20

describe('the front page of the site', () => {
  const [engine] = testEngines()
  if (engine === undefined) throw new Error('there is no engine')
  const client = createSdkClient(engine)
  const tableName = uniqueTableName()
  const printed: unknown[] = []

  beforeAll(async () => {
    const comments = await run<Collection<Comment>>(`${declaration}\nreturn comments`, {
      ...{ defineCollection, oneOf, anyOf, commentSchema },
    })
    const lapidary = createLapidary({
      ...{ client, tableName, collections: { comments }, cursorSecret: 'of the front page alone' },
    })
    await lapidary.table.create()
    await importItems(lapidary.comments, generateComments(COMMENTS, seededRandom(1)))
    const log = (...values: readonly unknown[]): number => printed.push(...values)
    await run(query, { lapidary: { comments: lapidary.comments as CollectionClient<Comment> }, console: { log } })
  })
  afterAll(() => dropTables(client, [tableName]))

  test('says how many comments there are', () => {
    expect(page).toContain(`${COMMENTS.toLocaleString('en')} comments`)
  })

  test('shows the plan that its query prints', () => {
    expect(page).toContain(`\`\`\`text\n${String(printed[0])}\n\`\`\``)
  })

  test('says what its query costs, and what a filter expression does', async () => {
    const { rcu, rounds } = printed[1] as { readonly rcu: number; readonly rounds: number }
    expect(saidOf('Lapidary')).toEqual({ rcu, rounds })
    expect(saidOf('Filter expression')).toEqual(await filtered(client, tableName))
  })

  test('draws each bar as long as its units', () => {
    for (const way of ['Lapidary', 'Filter expression'])
      expect(page).toMatch(new RegExp(`<dt>${way}</dt>\n<dd style="--units: ${saidOf(way).rcu}">`))
    expect(page).toContain(`style="--most: ${saidOf('Filter expression').rcu}"`)
  })

  test('has the stone of the other pages as its logo', () => {
    expect(readFileSync(join(ROOT, 'site/public/gem.svg'), 'utf8')).toBe(GEM)
  })
})

function saidOf(way: string): { readonly rcu: number; readonly rounds: number } {
  const [, rcu, rounds] = new RegExp(`<dt>${way}</dt>\n<dd[^>]*>.*?([\\d.]+) RCU, (\\d+) rounds?`).exec(page) ?? []
  return { rcu: Number(rcu), rounds: Number(rounds) }
}

/** Runs code of the page with the names that it uses. */
function run<T>(code: string, names: Readonly<Record<string, unknown>>): Promise<T> {
  const AsyncFunction = (async () => {}).constructor as new (...parts: string[]) => (...values: unknown[]) => Promise<T>
  return new AsyncFunction(...Object.keys(names), code)(...Object.values(names))
}

/** Reads the same page by the SDK alone: the list of all comments of the product, a page and one item at a time, until the page is full. */
async function filtered(client: DynamoDBClient, TableName: string): ReturnType<typeof Promise.resolve<Cost>> {
  let found = 0
  let rcu = 0
  let rounds = 0
  let start: Record<string, AttributeValue> | undefined
  do {
    const output = await client.send(
      new QueryCommand({
        TableName,
        IndexName: 'all',
        KeyConditionExpression: 'k = :k',
        FilterExpression: '#language = :en AND rating IN (:one, :two)',
        ExpressionAttributeNames: { '#language': 'language' },
        ExpressionAttributeValues: {
          ...{ ':k': { S: 'COMMENT/42' }, ':en': { S: 'en' }, ':one': { N: '1' }, ':two': { N: '2' } },
        },
        ScanIndexForward: false,
        Limit: PAGE + 1,
        ReturnConsumedCapacity: 'TOTAL',
        ExclusiveStartKey: start,
      }),
    )
    found += output.Count ?? 0
    rcu += output.ConsumedCapacity?.CapacityUnits ?? 0
    rounds += 1
    start = output.LastEvaluatedKey
  } while (found <= PAGE && start !== undefined)
  return { rcu, rounds }
}

interface Cost {
  readonly rcu: number
  readonly rounds: number
}

const commentSchema = {
  '~standard': { version: 1, vendor: 'front page', validate: (value: unknown) => ({ value: value as Comment }) },
} as const
