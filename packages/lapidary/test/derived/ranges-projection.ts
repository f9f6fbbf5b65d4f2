import type { SumProjection } from 'lapidary'

const FENCES = [20, 45, 50, 90]

/** The range that a place is in, from 0. */
export function rangeOf(place: number): number {
  return FENCES.filter((fence) => fence <= place).length
}

/** How many notes of a box lie between fixed fences: the shape of a page index, without splits. */
export const ranges: SumProjection = {
  name: 'ranges',
  collection: 'NOTE',
  dated: true,
  isItem: ({ PK, SK }) => PK.startsWith('NOTE#') && SK === '~',
  contributions({ box, place }) {
    if (box?.S === undefined || place?.N === undefined) throw new TypeError('no box or no place')
    const PK = `~ranges#NOTE#${encodeURIComponent(box.S)}`
    return [{ target: { PK, SK: String(rangeOf(Number(place.N))) }, amounts: { items: 1 } }]
  },
  owns: ({ PK }) => PK.startsWith('~ranges#NOTE#'),
  entryOf: (_, { items = 0 }) => (items === 0 ? undefined : { items: { N: String(items) } }),
  amountsOf: ({ items }) => ({ items: Number(items?.N ?? 0) }),
}
