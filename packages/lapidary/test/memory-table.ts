import assert from 'node:assert/strict'
import type { QueryCommandInput, QueryCommandOutput } from '@aws-sdk/client-dynamodb'
import { isTextIndex } from '../src/layouts/index-definition.ts'
import type { CollectionLayout, KeyCondition, List, Lists } from '../src/layouts/layout.ts'
import { type Entry, entryBytes } from '../src/model/entry.ts'
import { compareBytes } from '../src/model/key-text.ts'
import { type Bound, compareBounds, compareToBound, type Range } from '../src/model/position.ts'
import { UNOBSERVED } from '../src/table/observer.ts'
import type { TableClient } from '../src/table/table-client.ts'
import { passesFilter } from './memory-filter.ts'

/** A table in memory that answers and charges Queries as DynamoDB does. */
export interface MemoryTable {
  readonly table: TableClient
  /** The layout's lists, with conditions that only this table understands: it needs no layout's own. */
  readonly lists: Lists
  readonly answers: Answer[]
}

export interface Answer {
  readonly input: QueryCommandInput
  readonly output: QueryCommandOutput
  readonly bytes: number
}

export interface MemoryTableOptions {
  /** How many entries a Query that asked for so many evaluates before DynamoDB cuts it short; all of them when not given. */
  readonly evaluated?: (limit: number) => number
  /** A Query that evaluates the last entry tells that nothing follows; else only the next one finds that, as in DynamoDB. */
  readonly tellsEnds?: boolean
  /** Lists take two conditions, one on either side of it, as where raw attributes tie. */
  readonly splitAt?: Bound | undefined
  /** A bound at an item takes a condition for those of its order value, and one for what is beyond. */
  readonly tiesApart?: boolean
  /** Called before a Query is answered. */
  readonly before?: (input: QueryCommandInput, signal: AbortSignal | undefined) => void
}

const MOST_QUERIES = 2_000

export function memoryTable(
  layout: CollectionLayout,
  entries: readonly Entry[],
  {
    evaluated = (limit) => limit,
    splitAt,
    tiesApart = false,
    tellsEnds = false,
    before = () => {},
  }: MemoryTableOptions = {},
): MemoryTable {
  const conditions: { readonly list: List; readonly range: Range }[] = []
  const answers: Answer[] = []

  const conditionOf = (list: List, range: Range): KeyCondition => {
    const number = conditions.push({ list, range }) - 1
    return { expression: `#k = :${number}`, names: { '#k': 'k' }, values: { [`:${number}`]: { S: list.partition } } }
  }

  const answerTo = (input: QueryCommandInput): Answer => {
    assertWellFormed(input)
    const { list, range } = conditions[Number(input.KeyConditionExpression?.slice(6))] ?? assert.fail('no condition')
    assert.deepEqual([input.TableName, input.IndexName], ['memory', list.index])
    const { partitionKey, sortKey } =
      layout.indexes.filter(isTextIndex).find(({ name }) => name === list.index) ?? assert.fail('no index')
    const found = entries
      .filter((entry) => entry[partitionKey]?.S === list.partition && entry[sortKey]?.S?.startsWith(list.prefix))
      .map((entry) => ({ entry, position: layout.positionOf(list, entry) }))
      .filter(({ position }) => range.lower === undefined || compareToBound(position, range.lower) > 0)
      .filter(({ position }) => range.upper === undefined || compareToBound(position, range.upper) < 0)
      .map(({ entry }) => entry)
      .sort((a, b) => compareBytes(a[sortKey]?.S ?? '', b[sortKey]?.S ?? ''))
    if (input.ScanIndexForward === false) found.reverse()
    const limit = input.Limit ?? assert.fail('no limit')
    assert.ok(Number.isInteger(limit) && limit >= 1, `Limit ${limit}`)
    const most = Math.max(1, Math.min(limit, evaluated(limit)))
    const read = found.slice(0, most)
    const isCut = read.length < found.length || (read.length === most && !tellsEnds)
    const last = isCut ? read.at(-1) : undefined
    const bytes = read.reduce((sum, entry) => sum + entryBytes(entry), 0)
    const CapacityUnits = 0.5 * Math.max(1, Math.ceil(bytes / 4096))
    const output = {
      Items: read.filter((entry) => passesFilter(entry, input)),
      ScannedCount: read.length,
      ...(input.ReturnConsumedCapacity === 'TOTAL' ? { ConsumedCapacity: { CapacityUnits } } : {}),
      ...(last === undefined ? {} : { LastEvaluatedKey: keysOf(last, ['PK', 'SK', partitionKey, sortKey]) }),
    }
    return { input, output: output as unknown as QueryCommandOutput, bytes }
  }

  const send = async (
    { input }: { readonly input: QueryCommandInput },
    settings?: { readonly abortSignal?: AbortSignal },
  ): Promise<QueryCommandOutput> => {
    before(input, settings?.abortSignal)
    assert.ok(answers.length < MOST_QUERIES, `more than ${MOST_QUERIES} queries: the reader goes round in circles`)
    settings?.abortSignal?.throwIfAborted()
    const answer = answerTo(input)
    answers.push(answer)
    return answer.output
  }

  return {
    answers,
    table: {
      tableName: 'memory',
      send: send as unknown as TableClient['send'],
      random: () => 0,
      sleep: async () => {},
      observe: UNOBSERVED,
    },
    lists: {
      ...layout,
      keyConditions(list, range) {
        const { lower, upper } = range
        if (tiesApart && lower?.id !== undefined) {
          const after: Bound = { order: lower.order, id: undefined, side: 'after' }
          return [conditionOf(list, { lower, upper: after }), conditionOf(list, { lower: after, upper })]
        }
        const isInside = (bound: Bound): boolean =>
          (range.lower === undefined || compareBounds(range.lower, bound) < 0) &&
          (range.upper === undefined || compareBounds(bound, range.upper) < 0)
        if (splitAt === undefined || !isInside(splitAt)) return [conditionOf(list, range)]
        return [conditionOf(list, { ...range, upper: splitAt }), conditionOf(list, { ...range, lower: splitAt })]
      },
    },
  }
}

function keysOf(entry: Entry, names: readonly string[]): Entry {
  return Object.fromEntries(names.flatMap((name) => (entry[name] === undefined ? [] : [[name, entry[name]]])))
}

/** As DynamoDB does, refuses a name or a value that no expression has, and one that is missing. */
function assertWellFormed(input: QueryCommandInput): void {
  const text = `${input.KeyConditionExpression} ${input.FilterExpression ?? ''}`
  const used = (pattern: RegExp): string[] => [...new Set(text.match(pattern) ?? [])].sort()
  assert.deepEqual(Object.keys(input.ExpressionAttributeNames ?? {}).sort(), used(/#\w+/g))
  assert.deepEqual(Object.keys(input.ExpressionAttributeValues ?? {}).sort(), used(/:\w+/g))
}
