import type { Entry, Item } from 'lapidary'
import { type CollectionLayout, keyAttributes } from 'lapidary/internal'
import type { KeysAnswer, ListAnswer } from './answer.ts'

const MOST_ENTRIES = 12

/** Shows an item as the table holds it: its entries, and the lists that each is in by the keys that it has of an index. */
export function keysAnswer(layout: CollectionLayout, item: Item, entries: readonly Entry[]): KeysAnswer {
  const shown = entries.slice(0, MOST_ENTRIES).map((entry) => ({
    ...{ pk: textOf(entry.PK), sk: textOf(entry.SK) },
    lists: layout.indexes.flatMap((index): ListAnswer[] => {
      if (keyAttributes(index).some(({ name }) => entry[name] === undefined)) return []
      const keys = (['partition', 'sort'] as const).flatMap((role) =>
        index.keys[role].map(({ name }) => ({ name, role, value: textOf(entry[name]) })),
      )
      return [{ index: index.name, keys }]
    }),
  }))
  const visible = Object.entries(item).filter(([, value]) => !(typeof value === 'string' && /^x+$/.test(value)))
  const plain = visible.map(([name, value]) => [name, typeof value === 'bigint' ? String(value) : value])
  return { item: Object.fromEntries(plain), entries: shown, count: entries.length }
}

function textOf(value: Entry[string] | undefined): string {
  return value?.S ?? value?.N ?? ''
}
