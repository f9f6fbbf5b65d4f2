import { setsWith } from './duplicates-projection.ts'
import type { Note } from './notes.ts'
import { rangeOf } from './ranges-projection.ts'

/** What a derived item holds, by attribute. */
type Held = Record<string, unknown>

/**
 * All derived items that notes should have, by key: from the notes alone, by hand. Of a place on a leaderboard the list that
 * it is in is left out.
 *
 * @param bytes What the note of an id weighs in the table.
 */
export function derivedItemsOf(notes: readonly Note[], bytes: (id: string) => number): Map<string, Held> {
  const items = new Map<string, Held>()
  const add = (key: string, counter: string, amount = 1): void => {
    const held = items.get(key) ?? {}
    items.set(key, { ...held, [counter]: Number(held[counter] ?? 0) + amount })
  }
  for (const { id, box, kind, colour, place, text } of notes) {
    const scope = escaped(box)
    for (const by of ['', escaped(kind)]) {
      for (const value of [colour, 'total']) {
        add(`~counts#NOTE#${scope} ${by || '~'}`, `count_${value}`)
        add(`~counts#NOTE#${scope} ${by || '~'}`, `bytes_${value}`, bytes(id))
      }
      add(`~counts#NOTE#${scope} ${by || '~'}`, 'sized_total')
      const suffix = by === '' ? '' : `#${by}`
      if (colour === 'red') add(`~leaders#NOTE#${scope} red${suffix}`, 'count')
      add(`~leaders#NOTE#${scope} full${suffix}`, 'count')
    }
    add(`~ranges#NOTE#${encodeURIComponent(box)} ${rangeOf(place)}`, 'items')
    for (const set of setsWith(colour)) {
      const duplicate = { box, kind, colour, place, text, auto: true, list: `${box}/${set}` }
      items.set(`~duplicates#NOTE#${id} ${set}`, duplicate)
    }
  }
  for (const [key, held] of items) {
    const scope = /^~leaders#NOTE#(\S+)/.exec(key)?.[1]
    if (scope === undefined) continue
    const inverted = String(999_999_999_999 - Number(held.count)).padStart(12, '0')
    // In the order of scopes: only what sorts before all other text is escaped.
    items.set(key, { ...held, place: `${inverted}#${decodeURIComponent(scope).replaceAll('#', '%23')}` })
  }
  return items
}

function escaped(text: string): string {
  return text.replace(/[ #/~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
}
