import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { SumProjection } from 'lapidary'
import { COLOURS } from './notes.ts'

type Entry = Readonly<Record<string, AttributeValue>>

const SETS: readonly (readonly string[])[] = Array.from({ length: 2 ** COLOURS.length }, (_, bits) =>
  COLOURS.filter((_, i) => (bits >> i) % 2 === 1),
)

/** The sets of colours that hold a colour, as texts: a note is duplicated once for each. */
export function setsWith(colour: string): readonly string[] {
  return SETS.filter((set) => set.includes(colour)).map((set) => set.join('.'))
}

/**
 * Power-set duplicates of notes. A duplicate has a value and is no count; as amounts it is its whole content, once. From one
 * content to the next is one less of the old and one more of the new.
 */
export const duplicates: SumProjection = {
  name: 'sets',
  collection: 'NOTE',
  dated: false,
  isItem: ({ PK, SK }) => PK.startsWith('NOTE#') && SK === '~',
  contributions(image) {
    const { PK, colour, box } = image
    if (colour?.S === undefined || box?.S === undefined) throw new TypeError('no colour or no box')
    const id = PK?.S?.slice('NOTE#'.length)
    return setsWith(colour.S).map((set) => ({
      target: { PK: `~duplicates#NOTE#${id}`, SK: set },
      amounts: { [contentText(image)]: 1 },
    }))
  },
  owns: ({ PK }) => PK.startsWith('~duplicates#NOTE#'),
  entryOf({ SK }, amounts): Entry | undefined {
    const contents = Object.entries(amounts).filter(([, amount]) => amount !== 0)
    const [only] = contents
    if (only === undefined) return undefined
    if (contents.length === 1 && only[1] === 1) {
      const content = JSON.parse(only[0]) as Entry
      return { ...content, auto: { BOOL: true }, list: { S: `${content.box?.S}/${SK}` } }
    }
    // Not what any set of items adds up to: in no list, until what is missing has come.
    return { unsettled: { M: Object.fromEntries(contents.map(([name, amount]) => [name, { N: String(amount) }])) } }
  },
  amountsOf(entry) {
    if (entry.unsettled?.M === undefined) return { [contentText(entry)]: 1 }
    return Object.fromEntries(Object.entries(entry.unsettled.M).map(([name, { N }]) => [name, Number(N)]))
  },
}

/** Everything of a note that its duplicates hold, in one order. */
function contentText({ box, kind, colour, place, text }: Entry): string {
  return JSON.stringify({ box, kind, colour, place, text })
}
