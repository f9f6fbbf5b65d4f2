import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type AttributeValue, DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb'
import { openEngine } from 'lapidary-engine'
import type { Comment } from './comment-api.ts'

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url))
const LAPIDARY = fileURLToPath(new URL('../../packages/cli/bin/lapidary.js', import.meta.url))
const RATINGS = [1, 2, 3, 4, 5]

/** Returns the expected answer of `/products/{productId}/statistics`. */
export function statisticsOf(comments: readonly Comment[], productId: string, language: string | undefined) {
  const ofProduct = comments.filter((comment) => comment.productId === productId)
  const counted = ofProduct.filter((comment) => language === undefined || comment.language === language)
  const languages: Record<string, number> = {}
  for (const comment of ofProduct) languages[comment.language] = (languages[comment.language] ?? 0) + 1
  const stars = counted.reduce((sum, { rating }) => sum + rating, 0)
  return {
    productId,
    language: language ?? null,
    counts: Object.fromEntries(
      RATINGS.map((value) => [value, counted.filter(({ rating }) => rating === value).length]),
    ),
    total: counted.length,
    languages,
    average: counted.length === 0 ? null : stars / counted.length,
  }
}

/** Returns the expected answer of `/leaderboards/five-star`. */
export function leadersOf(comments: readonly Comment[], language: string | undefined) {
  const counts = new Map<string, number>()
  for (const { productId, rating, language: own } of comments) {
    if (rating !== 5 || (language !== undefined && own !== language)) continue
    counts.set(productId, (counts.get(productId) ?? 0) + 1)
  }
  const all = [...counts.values()]
  return [...counts]
    .map(([productId, count]) => ({ productId, count, rank: 1 + all.filter((other) => other > count).length }))
    .sort((a, b) => b.count - a.count || (a.productId < b.productId ? -1 : 1))
}

/** Returns the counters of every counts item and leaderboard item that must be in the table, by key. */
export function derivedItemsOf(comments: readonly Comment[]): Record<string, Record<string, number>> {
  const items: Record<string, Record<string, number>> = {}
  const add = (key: string, counter: string): void => {
    items[key] = { ...items[key], [counter]: (items[key]?.[counter] ?? 0) + 1 }
  }
  for (const { productId, language, rating } of comments) {
    for (const by of [undefined, language]) {
      add(`~counts#COMMENT#${productId} ${by ?? '~'}`, `count_${rating}.false.false`)
      add(`~counts#COMMENT#${productId} ${by ?? '~'}`, 'count_total')
      const place = by === undefined ? 'five-star' : `five-star#${by}`
      if (rating === 5) add(`~leaders#COMMENT#${productId} ${place}`, 'leaders')
    }
  }
  return items
}

/** Reads the same from the table itself, and the ids of the comments in it, beside the server. */
export async function readTable(dataDir: string) {
  await using engine = await openEngine({ dataDir })
  const client = new DynamoDBClient(engine.clientConfig)
  const entries: Record<string, AttributeValue>[] = []
  let after: Record<string, AttributeValue> | undefined
  do {
    const page = await client.send(
      new ScanCommand({
        TableName: 'comments',
        ConsistentRead: true,
        ...(after === undefined ? {} : { ExclusiveStartKey: after }),
      }),
    )
    entries.push(...(page.Items ?? []))
    after = page.LastEvaluatedKey
  } while (after !== undefined)
  client.destroy()
  const texts = entries.map((entry) => ({ entry, PK: entry.PK?.S ?? '', SK: entry.SK?.S ?? '' }))
  return {
    ids: texts.filter(({ PK }) => PK.startsWith('COMMENT#')).map(({ PK }) => PK.slice('COMMENT#'.length)),
    derived: Object.fromEntries(
      texts
        .filter(({ PK }) => /^~(counts|leaders)\./.test(PK))
        .map(({ entry, PK, SK }) => ({ entry, SK, PK: PK.replace(/\.[\w-]+(?=#)/, '') }))
        .map(({ entry, PK, SK }) => [`${PK} ${SK}`, PK.startsWith('~counts#') ? counters(entry) : leaders(entry)]),
    ),
    deadLetters: texts.filter(({ PK }) => PK.startsWith('~DEADLETTER')).length,
  }
}

/** Returns the output of `lapidary verify`, run beside the server. */
export async function verify(dataDir: string): Promise<unknown> {
  const { PATH = '' } = process.env
  const { stdout } = await promisify(execFile)(process.execPath, [LAPIDARY, 'verify', '--json'], {
    cwd: REPOSITORY,
    env: { PATH, NODE_NO_WARNINGS: '1', DATA_DIR: dataDir },
  })
  return JSON.parse(stdout)
}

function counters(entry: Record<string, AttributeValue>): Record<string, number> {
  const named = Object.entries(entry).filter(([name]) => name.startsWith('count_'))
  return Object.fromEntries(named.map(([name, { N }]) => [name, Number(N)]))
}

/** Reads a leaderboard's sort key: the count, subtracted from twelve nines, then the product. */
function leaders(entry: Record<string, AttributeValue>): Record<string, number> {
  return { leaders: 999_999_999_999 - Number(entry.s?.S?.slice(0, 12)) }
}
