import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { type Comment, entryBytes } from './comments.ts'
import { entryOf } from './stored-comments.ts'

type Entry = Record<string, AttributeValue>

/** The attributes that lists show of a comment, and the table's own keys: every index entry has them. */
const SHOWN = ['PK', 'SK', 's', 'i', 'p', 'l', 'r', 'x', 'c']

/** The partition keys of the indexes by their names. */
export const INDEX_KEYS: Readonly<Record<string, string>> = {
  all: 'k',
  byLanguage: 'k.l',
  byRating: 'k.r',
  byLanguageAndRating: 'k.l.r',
}

/** One list of an index in memory, oldest first. */
export interface MemoryList {
  readonly entries: readonly Entry[]
  /** Sort keys of the entries. */
  readonly positions: readonly string[]
  /** Bytes of the first n entries as the index holds them, for n from 0. */
  readonly bytesBefore: readonly number[]
}

/** The lists of all indexes, by index and partition: `byRating COMMENT/42/5`. */
export function memoryLists(comments: readonly Comment[]): ReadonlyMap<string, MemoryList> {
  const lists = new Map<string, { entries: Entry[]; positions: string[]; bytesBefore: number[] }>()
  for (const comment of comments) {
    const item = entryOf(comment)
    const shown = Object.fromEntries(SHOWN.map((name) => [name, item[name] as AttributeValue]))
    for (const [index, key] of Object.entries(INDEX_KEYS)) {
      const entry = { ...shown, [key]: item[key] as AttributeValue }
      const name = `${index} ${item[key]?.S}`
      const list = lists.get(name) ?? { entries: [], positions: [], bytesBefore: [0] }
      lists.set(name, list)
      list.entries.push(entry)
      list.positions.push(item.s?.S ?? '')
      list.bytesBefore.push((list.bytesBefore.at(-1) ?? 0) + entryBytes(entry))
    }
  }
  return lists
}

/** How many entries of a list are before a position. */
export function entriesBefore({ positions }: MemoryList, position: string | undefined): number {
  if (position === undefined) return positions.length
  let low = 0
  let high = positions.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((positions[middle] ?? '') < position) low = middle + 1
    else high = middle
  }
  return low
}
