import { createHash } from 'node:crypto'
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Collection, Item } from '../model/collection.ts'
import type { Entry } from '../model/entry.ts'
import { type InputIssue, LapidaryError, shown, unprocessable } from '../model/errors.ts'
import { isAlwaysInOrder } from '../model/order.ts'
import { ownValue } from '../model/own-value.ts'
import { LOST_NAME, reservedReason } from '../model/reserved-names.ts'
import { validItem } from '../model/stored-item.ts'
import type { CollectionContext } from '../operations/context.ts'
import { sortableId } from '../operations/sortable-id.ts'
import { asRead, digitsOfTexts } from './exact-numbers.ts'
import { convertTexts, noConversions, type TextReading } from './import-texts.ts'
import { SeenIds } from './seen-ids.ts'

/** One line of what is imported: a value, or what made it unreadable. */
export interface ImportRecord {
  /** From 1, as an editor counts; of a record of several lines, the first. */
  readonly line: number
  readonly value?: unknown
  /** Texts (CSV) are to be converted into what the schema takes; undefined is an empty cell. Other values are taken as they are in JSON. */
  readonly texts?: boolean
  /** Why there is no value. */
  readonly problem?: string
  /** The line as it was read, to hand it back when it is refused. */
  readonly raw?: Buffer
}

/** What a record says. */
export interface ReadRecord<I> {
  readonly item: I
  /** Of what it says, numbers that no double holds, by stored name: they are stored where the schema leaves them alone. */
  readonly stays: Entry
}

/** Turns a record into a valid item. What is learned about the columns of a CSV file is kept in `conversions`. */
export interface RecordReader<I> {
  /** @throws {LapidaryError} `unprocessable`, saying what is wrong with the record. */
  read(record: ImportRecord): Promise<ReadRecord<I>>
  /** Takes note of a record that was done before, where later ones without an id may be equal to it. */
  pass(record: ImportRecord): Promise<void>
}

/** How records are read. */
export interface ReadingOptions {
  /** The time of items that bring none, in milliseconds since 1970: one for the whole import. */
  readonly now: number
  /** Whether equal items without an id are one. */
  readonly dedupe: boolean
  readonly readings: readonly TextReading[]
}

/** Makes the reader of one import. */
export function createRecordReader<I>(
  { collection, codec }: CollectionContext<I>,
  { now, dedupe, readings }: ReadingOptions,
): RecordReader<I> {
  const time = new Date(now).toISOString()
  const conversions = noConversions()
  const stored = (values: readonly (readonly [string, AttributeValue])[]): Entry =>
    Object.fromEntries(values.map(([name, each]) => [codec.storedName(name), each]))
  const seen = new SeenIds()
  const completed = (item: Item, copy: number): Item => withManagedAttributes(collection, item, time, copy)
  const readAs = async (
    { value, texts, problem }: ImportRecord,
    complete: (item: Item) => Item,
  ): Promise<ReadRecord<I>> => {
    if (problem !== undefined) throw new LapidaryError('unprocessable', problem)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new LapidaryError('unprocessable', `must be a JSON object, not ${kindOf(value)}`)
    }
    // Conversions set attributes one by one, which loses the name.
    if (texts === true && Object.hasOwn(value, LOST_NAME)) {
      const message = `is a name that ${reservedReason(LOST_NAME)}; choose another`
      throw unprocessable('the record was refused', [{ path: LOST_NAME, message }])
    }
    const isText = (given: unknown): boolean => texts === true && (given === undefined || typeof given === 'string')
    const given = Object.entries(value)
    const read = given.flatMap(([name, each]) =>
      isText(each) ? [] : [[name, asRead(collection, name, each)] as const],
    )
    const others = Object.fromEntries(read.map(([name, each]) => [name, each.value]))
    const stays = read.flatMap(([name, each]) => (each.stored === undefined ? [] : [[name, each.stored] as const]))
    if (texts !== true) return { item: await validItem(collection, complete(others)), stays: stored(stays) }
    const row = Object.fromEntries(given.filter(([, each]) => isText(each))) as Record<string, string | undefined>
    const item = await convertTexts(collection, row, conversions, complete, others, readings)
    return { item, stays: stored([...stays, ...digitsOfTexts(collection, row, item as Item)]) }
  }
  const reader: RecordReader<I> = {
    async read(record) {
      let input: Item = {}
      let whole: Item = {}
      const read = await readAs(record, (item) => {
        input = item
        whole = completed(item, 0)
        return whole
      })
      if (dedupe || !isAbsent(ownValue(input, collection.id))) return read
      const idAs = (copy: number): string =>
        String(ownValue(copy === 0 ? whole : completed(input, copy), collection.id))
      const copy = seen.addFirstNew(idAs)
      // The id of an equal item that came before is taken.
      return copy === 0 ? read : readAs(record, (item) => completed(item, copy))
    },
    async pass(record) {
      const { value } = record
      if (dedupe || typeof value !== 'object' || value === null || !isAbsent(ownValue(value, collection.id))) return
      try {
        await reader.read(record)
      } catch (error) {
        if (!(error instanceof LapidaryError) || error.code !== 'unprocessable') throw error
      }
    },
  }
  return reader
}

/** What is wrong with a record, in one line. */
export function problemText(error: LapidaryError): string {
  const issues = issuesOf(error)
  if (issues.length === 0) return error.message
  return issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ')
}

/** What is wrong with a record, by attribute. */
export function issuesOf({ details }: LapidaryError): readonly InputIssue[] {
  return (details as { errors?: readonly InputIssue[] }).errors ?? []
}

/** Unlike in `create`, a version and times that are given are kept: an import brings back what was exported. */
function withManagedAttributes(collection: Collection, input: Item, time: string, copy: number): Item {
  const { id, order, version, updatedAt } = collection
  const item: Record<string, unknown> = { ...input }
  if (isAbsent(ownValue(item, id)))
    item[id] = idOf(order.type === 'time' ? ownValue(item, order.attribute) : undefined, input, copy)
  if (order.type === 'time') item[order.attribute] = ownValue(item, order.attribute) ?? time
  if (version !== undefined) item[version] = ownValue(item, version) ?? 1
  if (updatedAt !== undefined)
    item[updatedAt] = ownValue(item, updatedAt) ?? (isAlwaysInOrder(collection, updatedAt) ? time : null)
  return item
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

/**
 * An id that sorts by the item's own time, with a hash in the place of chance: the same line imported again is the same
 * item, and so is the same number of equal ones. An item without a time gets the earliest id.
 */
function idOf(time: unknown, input: Item, copy: number): string {
  const milliseconds = typeof time === 'string' ? Date.parse(time) : Number.NaN
  const sorted = Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1))
  const text = JSON.stringify(sorted, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part))
  const hash = createHash('sha256')
    .update(copy === 0 ? text : `${text}#${copy}`)
    .digest()
  let next = 0
  return sortableId(Number.isNaN(milliseconds) ? 0 : milliseconds, () => (hash[next++] ?? 0) / 256)
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  return value === undefined ? 'nothing' : shown(value)
}
