import { createHash } from 'node:crypto'
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Collection, Item } from '../model/collection.ts'
import type { Entry } from '../model/entry.ts'
import { LapidaryError, shown } from '../model/errors.ts'
import { isAlwaysInOrder } from '../model/order.ts'
import { ownValue } from '../model/own-value.ts'
import { validItem } from '../model/stored-item.ts'
import type { CollectionContext } from '../operations/context.ts'
import { sortableId } from '../operations/sortable-id.ts'
import { asRead, digitsOfTexts } from './exact-numbers.ts'
import { convertTexts, noConversions } from './import-texts.ts'

/** One line of what is imported: a value, or what made it unreadable. */
export interface ImportRecord {
  /** From 1, as an editor counts; of a record of several lines, the first. */
  readonly line: number
  readonly value?: unknown
  /** Every value is a text (CSV), to be converted into what the schema takes, or undefined where the cell is empty. */
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
}

/** @param now The time of items that bring none, in milliseconds since 1970: one for the whole import. */
export function createRecordReader<I>({ collection, codec }: CollectionContext<I>, now: number): RecordReader<I> {
  const time = new Date(now).toISOString()
  const conversions = noConversions()
  const stored = (values: readonly (readonly [string, AttributeValue])[]): Entry =>
    Object.fromEntries(values.map(([name, each]) => [codec.storedName(name), each]))
  return {
    async read({ value, texts, problem }) {
      if (problem !== undefined) throw new LapidaryError('unprocessable', problem)
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        throw new LapidaryError('unprocessable', `must be a JSON object, not ${kindOf(value)}`)
      }
      const complete = (item: Item): Item => withManagedAttributes(collection, item, time)
      if (texts === true) {
        const row = value as Record<string, string | undefined>
        const item = await convertTexts(collection, row, conversions, complete)
        return { item, stays: stored(digitsOfTexts(collection, row, item as Item)) }
      }
      const read = Object.entries(value).map(([name, given]) => [name, asRead(collection, name, given)] as const)
      const item = Object.fromEntries(read.map(([name, each]) => [name, each.value]))
      const stays = stored(read.flatMap(([name, each]) => (each.stored === undefined ? [] : [[name, each.stored]])))
      return { item: await validItem(collection, complete(item)), stays }
    },
  }
}

/** What is wrong with a record, in one line. */
export function problemText(error: LapidaryError): string {
  const { errors } = error.details as { errors?: readonly { path: string; message: string }[] }
  if (errors === undefined) return error.message
  return errors.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ')
}

/** Unlike in `create`, a version and times that are given are kept: an import brings back what was exported. */
function withManagedAttributes(collection: Collection, input: Item, time: string): Item {
  const { id, order, version, updatedAt } = collection
  const item: Record<string, unknown> = { ...input }
  if (isAbsent(ownValue(item, id)))
    item[id] = idOf(order.type === 'time' ? ownValue(item, order.attribute) : undefined, input)
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
 * item. An item without a time gets the earliest id.
 */
function idOf(time: unknown, input: Item): string {
  const milliseconds = typeof time === 'string' ? Date.parse(time) : Number.NaN
  const sorted = Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1))
  const text = JSON.stringify(sorted, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part))
  const hash = createHash('sha256').update(text).digest()
  let next = 0
  return sortableId(Number.isNaN(milliseconds) ? 0 : milliseconds, () => (hash[next++] ?? 0) / 256)
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  return value === undefined ? 'nothing' : shown(value)
}
