import { encode } from 'cborg'
import type { Collection, Item } from '../model/collection.ts'
import { createEntryCodec } from '../model/entry.ts'
import { LapidaryError } from '../model/errors.ts'
import { knownOptions } from '../model/known-options.ts'
import { toNativeValue } from '../model/native-value.ts'
import { orderAttributes } from '../model/order.ts'
import { isReservedName } from '../model/reserved-names.ts'
import { LONGEST_DICTIONARY } from './dictionary.ts'

/** Options of the training. */
export interface TrainingOptions {
  /** The most bytes of the dictionary, up to 32768; 16384 when not given. */
  readonly bytes?: number
}

const USUAL_BYTES = 16_384
/** The fewest bytes that are worth a place in the dictionary: deflate does not refer back to fewer. */
const PIECE = 6
/** Bytes of one stretch of the dictionary. */
const SEGMENT = 48

/**
 * Makes a dictionary of what repeats in items: of each part of the samples the stretch whose pieces occur in most items and are not in the
 * dictionary yet, the most frequent last, where references to them are shortest (as zstd's COVER does).
 *
 * @param items Some hundreds or thousands, as different as those to come.
 * @throws {LapidaryError} `bad_request` where nothing repeats.
 * @example
 * ```ts run
 * const dictionary = trainDictionary(comments, [comment, { ...comment, text: 'Good, and sharp.' }])
 * ```
 */
export function trainDictionary(
  collection: Collection,
  items: Iterable<Item>,
  options: TrainingOptions = {},
): Uint8Array {
  const { bytes: most = USUAL_BYTES } = knownOptions('trainDictionary', options, { bytes: true })
  if (!(Number.isInteger(most) && most >= SEGMENT && most <= LONGEST_DICTIONARY)) {
    throw new LapidaryError('bad_request', `a dictionary of ${most} bytes; it has ${SEGMENT} to ${LONGEST_DICTIONARY}`)
  }
  const samples = samplesOf(collection, items)
  const frequencies = pieceFrequencies(samples)
  const all = samples.join('')
  const segments = Math.floor(most / SEGMENT)
  const part = Math.max(SEGMENT, Math.ceil(all.length / segments))
  const chosen: { readonly text: string; readonly score: number }[] = []
  for (let from = 0; from + SEGMENT <= all.length; from += part) {
    const best = bestSegment(all, from, Math.min(all.length, from + part), frequencies)
    if (best === undefined) continue
    chosen.push(best)
    for (const piece of pieces(best.text)) frequencies.delete(piece)
  }
  if (chosen.length === 0) {
    throw new LapidaryError(
      'bad_request',
      `nothing repeats in ${samples.length} items, so there is no dictionary of them; give more items, or say packed()`,
    )
  }
  const text = chosen.toSorted((a, b) => a.score - b.score).map((segment) => segment.text)
  return new Uint8Array(Buffer.from(text.join(''), 'latin1'))
}

/** Returns what the codec would pack of each item, one character a byte. */
function samplesOf(collection: Collection, items: Iterable<Item>): readonly string[] {
  const { id, scope, orders, facets, version } = collection
  const codec = createEntryCodec({ ...collection, codec: undefined })
  const kept = [
    id,
    scope.attribute,
    ...orderAttributes({ orders }),
    ...Object.keys(facets),
    ...(version === undefined ? [] : [version]),
  ]
  const plain = new Set(kept.map(codec.storedName))
  return [...items].map((item) => {
    const packed = Object.entries(codec.toEntry(item)).filter(([name]) => !plain.has(name) && !isReservedName(name))
    const values = Object.fromEntries(packed.map(([name, value]) => [name, toNativeValue(value)]))
    return Buffer.from(encode(values)).toString('latin1')
  })
}

/** Returns in how many samples each piece occurs, without the pieces that occur in one only. */
function pieceFrequencies(samples: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const sample of samples) {
    for (const piece of new Set(pieces(sample))) counts.set(piece, (counts.get(piece) ?? 0) + 1)
  }
  for (const [piece, count] of counts) if (count === 1) counts.delete(piece)
  return counts
}

function bestSegment(
  all: string,
  from: number,
  to: number,
  frequencies: ReadonlyMap<string, number>,
): { readonly text: string; readonly score: number } | undefined {
  const at = (i: number): number => frequencies.get(all.slice(i, i + PIECE)) ?? 0
  const inside = SEGMENT - PIECE + 1
  let score = 0
  for (let i = 0; i < inside; i++) score += at(from + i)
  let best = { at: from, score }
  for (let start = from + 1; start + SEGMENT <= to; start++) {
    score += at(start + inside - 1) - at(start - 1)
    if (score > best.score) best = { at: start, score }
  }
  return best.score === 0 ? undefined : { text: all.slice(best.at, best.at + SEGMENT), score: best.score }
}

function* pieces(text: string): Generator<string> {
  for (let i = 0; i + PIECE <= text.length; i++) yield text.slice(i, i + PIECE)
}
