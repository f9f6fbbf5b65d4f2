import type { Entry, Item } from 'lapidary'
import type { OpenCollection } from '../studio-options.ts'
import { readEntry } from './read-item.ts'

/** A list that an item is in. */
export interface ListOfItem {
  readonly index: string
  /** The values of the partition key: which list it is. */
  readonly partition: readonly string[]
  /** The values of the sort key: where in it the item is. */
  readonly place: readonly string[]
  /** Whether the table holds these keys, as the item says they should be. */
  readonly isStored: boolean
}

/** An entry that an item has in the table, with the lists that it is in. */
export interface EntryOfItem {
  readonly PK: string
  readonly SK: string
  readonly isPrimary: boolean
  /** Whether the table has it. */
  readonly isStored: boolean
  readonly lists: readonly ListOfItem[]
}

/** The entries of an item, as far as they are shown, and how many there are. */
export interface EntriesOfItem {
  readonly entries: readonly EntryOfItem[]
  readonly count: number
}

/** A power set may have a hundred; each of them is read by its key. */
const MOST_ENTRIES = 20

/** Returns what the layout says an item should have in the table, beside what the table has. */
export async function entriesOfItem({ client }: OpenCollection, item: Item, stored: Entry): Promise<EntriesOfItem> {
  const { layout, codec, table } = client.context
  const expected = layout.entriesOf(item, codec.toEntry(item, stored))
  const entries = await Promise.all(
    expected.slice(0, MOST_ENTRIES).map(async (entry, i): Promise<EntryOfItem> => {
      const [PK, SK] = [entry.PK?.S ?? '', entry.SK?.S ?? '']
      const found = i === 0 ? stored : await readEntry(table, { PK, SK })
      const lists = layout.indexes.flatMap(({ name, keys }): ListOfItem[] => {
        const valuesOf = (attributes: typeof keys.partition): readonly string[] =>
          attributes.flatMap(({ name: attribute }) => textOf(entry, attribute) ?? [])
        const partition = valuesOf(keys.partition)
        if (partition.length < keys.partition.length || valuesOf(keys.sort).length < keys.sort.length) return []
        const isStored = [...keys.partition, ...keys.sort].every(
          ({ name: attribute }) => found !== undefined && textOf(found, attribute) === textOf(entry, attribute),
        )
        return [{ index: name, partition, place: valuesOf(keys.sort), isStored }]
      })
      return { PK, SK, isPrimary: i === 0, isStored: found !== undefined, lists }
    }),
  )
  return { entries, count: expected.length }
}

function textOf(entry: Entry, attribute: string): string | undefined {
  const value = entry[attribute]
  return value?.S ?? value?.N
}
