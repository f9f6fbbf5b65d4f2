import { type AttributeValue, type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb'
import { PRODUCT } from './comments.ts'
import type { RatingFilter } from './rating-filters.ts'
import { TABLE_NAME } from './stored-comments.ts'

type Entry = Record<string, AttributeValue>

/** A page as a program reads it with the SDK alone, and what that took. */
export interface PlainPage {
  readonly entries: readonly Entry[]
  readonly rcu: number
  readonly requests: number
  readonly rounds: number
}

/** One Query of a list, newest first, past a position if there is one. */
export interface ListRead {
  readonly index: string
  readonly key: string
  readonly partition: string
  readonly limit: number
  readonly before: string | undefined
  readonly filter?: Pick<RatingFilter, 'ratings'>
}

export function listQuery({ index, key, partition, limit, before, filter }: ListRead): QueryCommand {
  const ratings = filter?.ratings ?? []
  return new QueryCommand({
    TableName: TABLE_NAME,
    IndexName: index,
    KeyConditionExpression: before === undefined ? '#k = :k' : '#k = :k AND #s < :s',
    ...(filter === undefined ? {} : { FilterExpression: `#r IN (${ratings.map((_, i) => `:r${i}`).join(', ')})` }),
    ExpressionAttributeNames: {
      '#k': key,
      ...(before === undefined ? {} : { '#s': 's' }),
      ...(filter === undefined ? {} : { '#r': 'r' }),
    },
    ExpressionAttributeValues: {
      ':k': { S: partition },
      ...(before === undefined ? {} : { ':s': { S: before } }),
      ...Object.fromEntries(ratings.map((rating, i) => [`:r${i}`, { N: String(rating) }])),
    },
    ScanIndexForward: false,
    Limit: limit,
    ReturnConsumedCapacity: 'TOTAL',
  })
}

/** The lists whose union is the answer: one for each rating. */
export function exactLists({ language, ratings }: RatingFilter): Pick<ListRead, 'index' | 'key' | 'partition'>[] {
  const product = `COMMENT/${PRODUCT}`
  return ratings.map((rating) =>
    language === undefined
      ? { index: 'byRating', key: 'k.r', partition: `${product}/${rating}` }
      : { index: 'byLanguageAndRating', key: 'k.l.r', partition: `${product}/${language}/${rating}` },
  )
}

/** The list that holds all ratings. */
export function wideList(language: string | undefined): Pick<ListRead, 'index' | 'key' | 'partition'> {
  const product = `COMMENT/${PRODUCT}`
  return language === undefined
    ? { index: 'all', key: 'k', partition: product }
    : { index: 'byLanguage', key: 'k.l', partition: `${product}/${language}` }
}

/** Reads the full page and one item more from every list at once, and merges. */
export async function naivePage(
  client: DynamoDBClient,
  filter: RatingFilter,
  before: string | undefined,
  size: number,
): Promise<PlainPage> {
  const outputs = await Promise.all(
    exactLists(filter).map((list) => client.send(listQuery({ ...list, before, limit: size + 1 }))),
  )
  const entries = outputs.flatMap(({ Items = [] }) => Items).sort(newestFirst)
  const rcu = outputs.reduce((sum, { ConsumedCapacity }) => sum + (ConsumedCapacity?.CapacityUnits ?? 0), 0)
  return { entries: entries.slice(0, size), rcu, requests: outputs.length, rounds: 1 }
}

/** Reads the wide list with a filter expression, a page and one item at a time, until the page is full. */
export async function filteredPage(
  client: DynamoDBClient,
  filter: RatingFilter,
  before: string | undefined,
  size: number,
): Promise<PlainPage> {
  const entries: Entry[] = []
  let start: Entry | undefined
  let rcu = 0
  let requests = 0
  do {
    const command = listQuery({ ...wideList(filter.language), before, limit: size + 1, filter })
    const output = await client.send(
      start === undefined ? command : new QueryCommand({ ...command.input, ExclusiveStartKey: start }),
    )
    entries.push(...(output.Items ?? []))
    rcu += output.ConsumedCapacity?.CapacityUnits ?? 0
    requests += 1
    start = output.LastEvaluatedKey
  } while (entries.length <= size && start !== undefined)
  return { entries: entries.slice(0, size), rcu, requests, rounds: requests }
}

function newestFirst({ s: a }: Entry, { s: b }: Entry): number {
  return (a?.S ?? '') < (b?.S ?? '') ? 1 : -1
}
