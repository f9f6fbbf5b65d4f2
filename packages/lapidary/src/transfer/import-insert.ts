import { BatchExecuteStatementCommand, type BatchStatementRequest, PutItemCommand } from '@aws-sdk/client-dynamodb'
import type { Entry } from '../model/entry.ts'
import { ownValue } from '../model/own-value.ts'
import { type Meaning, meaningOf, meaningOfName, PASSING, validationMessage } from '../table/error-meaning.ts'
import { Again, retrying } from '../table/retrying.ts'
import type { TableClient } from '../table/table-client.ts'
import type { WriteCondition } from '../writes/item-writes.ts'
import {
  type BatchOutcome,
  type FailedWrite,
  MAX_ATTEMPTS,
  type PendingWrite,
  unprocessedWrite,
} from './import-batch.ts'

/** What becomes of a line whose item is in the table already. */
export type OnConflict = 'newer' | 'replace' | 'skip'

/** The condition under which an item takes the place of a stored one. */
export interface ReplaceRule {
  readonly onConflict: Exclude<OnConflict, 'replace'>
  /** The stored name of the version; of items without one. */
  readonly version: string | undefined
  /** The stored name of the time at which items expire; of those that do. What has expired is no item, and stands in the way of none. */
  readonly expires: string | undefined
  readonly clock: () => number
}

/** What an import has learned of the table on its way. */
export interface InsertHistory {
  /** Whether most items of the last batch were not there: then inserting is cheapest, else the condition itself. */
  mostlyNew: boolean
  /** False where the engine or the permissions have no PartiQL. */
  canInsert: boolean
}

type Outcome = 'written' | 'replaced' | 'skipped' | 'exists' | 'untried' | 'again' | FailedWrite

/** Names that a statement can quote as they are. */
const PLAIN_NAME = /^[\w.@~-]+$/
/** DynamoDB's cap on a statement, in characters. */
const LONGEST_STATEMENT = 8192
/** What refuses a batch as a whole: one item that can't be taken in any way, no permission, an engine without PartiQL. */
const REFUSALS: ReadonlySet<Meaning> = new Set(['refused', 'denied', 'not offered'])

/**
 * Stores up to 25 items with different keys, each in the place of a stored one only by the rule. BatchWriteItem knows no
 * conditions, and a transaction takes twice the units. An INSERT of PartiQL is a put on the condition that there is no such item,
 * 25 in one request at the price of puts; an item that is there is put by itself, on the rule's condition.
 */
export async function insertBatch(
  table: TableClient,
  writes: readonly PendingWrite[],
  rule: ReplaceRule,
  history: InsertHistory,
): Promise<BatchOutcome> {
  const failed: FailedWrite[] = []
  let skipped = 0
  let existing = 0
  let left = writes
  const gaveUp = (tries: number): void => void failed.push(...left.map(({ record }) => unprocessedWrite(record, tries)))
  await retrying<void>(table, { most: MAX_ATTEMPTS, gaveUp }, async () => {
    const outcomes = await attempt(table, left, rule, history)
    for (const outcome of outcomes) {
      if (typeof outcome === 'object') failed.push(outcome)
      if (outcome === 'skipped') skipped++
      if (outcome === 'skipped' || outcome === 'replaced') existing++
    }
    left = left.filter((_, i) => outcomes[i] === 'again')
    return left.length === 0 ? undefined : new Again()
  })
  history.mostlyNew = existing * 2 < writes.length
  return { failed, skipped }
}

async function attempt(
  table: TableClient,
  writes: readonly PendingWrite[],
  rule: ReplaceRule,
  history: InsertHistory,
): Promise<readonly Outcome[]> {
  const inserted = history.mostlyNew && history.canInsert ? await insert(table, writes, history) : []
  return Promise.all(
    writes.map(async (write, i) => {
      const outcome = inserted[i] ?? 'untried'
      if (outcome === 'exists' && rule.onConflict === 'skip' && rule.expires === undefined) return 'skipped'
      return outcome === 'exists' || outcome === 'untried' ? putByRule(table, write, rule) : outcome
    }),
  )
}

async function insert(
  table: TableClient,
  writes: readonly PendingWrite[],
  history: InsertHistory,
): Promise<readonly Outcome[]> {
  const statements = writes.map(({ entry }) => insertion(table.tableName, entry))
  const sent = statements.filter((statement) => statement !== undefined)
  if (sent.length === 0) return []
  try {
    const { Responses = [] } = await table.send(new BatchExecuteStatementCommand({ Statements: sent }))
    let next = 0
    return statements.map((statement, i) => {
      if (statement === undefined) return 'untried'
      const { Code, Message } = Responses[next++]?.Error ?? {}
      if (Code === undefined) return 'written'
      const meaning = meaningOfName(Code) ?? 'unknown'
      if (meaning === 'condition') return 'exists'
      if (PASSING.has(meaning)) return 'again'
      if (meaning !== 'denied') return refusedWrite(writes[i] as PendingWrite, Message ?? Code)
      history.canInsert = false
      return 'untried'
    })
  } catch (error) {
    const meaning = meaningOf(error)
    if (!REFUSALS.has(meaning)) throw error
    // Put by themselves, each has its own answer.
    if (meaning !== 'refused') history.canInsert = false
    return []
  }
}

function insertion(tableName: string, entry: Entry): BatchStatementRequest | undefined {
  const names = Object.keys(entry)
  const Statement = `INSERT INTO "${tableName}" VALUE {${names.map((name) => `'${name}': ?`).join(', ')}}`
  if (!names.every((name) => PLAIN_NAME.test(name)) || Statement.length > LONGEST_STATEMENT) return undefined
  return { Statement, Parameters: Object.values(entry) }
}

/** In one step: between a look at the stored item and the write nothing can come. */
async function putByRule(table: TableClient, write: PendingWrite, rule: ReplaceRule): Promise<Outcome> {
  const { entry } = write
  const condition = replaceCondition(entry, rule)
  try {
    const { tableName: TableName } = table
    const put = new PutItemCommand({ TableName, Item: { ...entry }, ...condition, ReturnValues: 'ALL_OLD' })
    return (await table.send(put)).Attributes === undefined ? 'written' : 'replaced'
  } catch (error) {
    const meaning = meaningOf(error)
    if (meaning === 'condition') return 'skipped'
    if (meaning === 'refused') return refusedWrite(write, validationMessage(error) ?? '')
    throw error
  }
}

function replaceCondition(entry: Entry, { onConflict, version, expires, clock }: ReplaceRule): WriteCondition {
  const own = version === undefined ? undefined : ownValue(entry, version)
  const byVersion = onConflict === 'newer' && version !== undefined && own !== undefined
  const expressions = [
    'attribute_not_exists(PK)',
    ...(byVersion ? ['attribute_not_exists(#v)', '#v <= :v'] : []),
    ...(expires === undefined ? [] : ['#x <= :now']),
  ]
  if (expressions.length === 1) return { ConditionExpression: expressions.join() }
  return {
    ConditionExpression: expressions.join(' OR '),
    ExpressionAttributeNames: {
      ...(byVersion ? { '#v': version } : {}),
      ...(expires === undefined ? {} : { '#x': expires }),
    },
    ExpressionAttributeValues: {
      ...(byVersion ? { ':v': own } : {}),
      ...(expires === undefined ? {} : { ':now': { S: new Date(clock()).toISOString() } }),
    },
  }
}

function refusedWrite({ record }: PendingWrite, message: string): FailedWrite {
  return { record, kind: 'refused', reason: `DynamoDB refused it: ${message}` }
}
