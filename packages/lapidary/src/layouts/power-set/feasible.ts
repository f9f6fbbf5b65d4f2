import type { Collection } from '../../model/collection.ts'
import { LapidaryError } from '../../model/errors.ts'
import { listedFacets } from '../../model/facet.ts'
import { byteLength } from '../../model/key-text.ts'
import { facetText } from '../../model/query.ts'

/** The size of an item's power set. */
export interface PowerSetSize {
  /** Entries of an item: one for each list that it is in. */
  readonly entries: number
  /** Entries that an edit of all its facets writes or deletes. */
  readonly edited: number
  /** Write units of a create: for each entry one for the table and one for the index, for each KB. */
  readonly units: number
  /** Bytes of all entries, in the table and in the index. */
  readonly bytes: number
}

/** DynamoDB's cap on a transaction, less the record of an idempotency key. */
const MOST_WRITTEN = 99
/** The most entries that the stream keeps: a create of more takes two thousand write units, and each of its transactions takes a hundred entries. */
const MOST_STREAMED = 512
const LONGEST_SORT_KEY = 1024
const KILOBYTE = 1024

/**
 * Computes the size of the power set of a collection's facets.
 *
 * @example
 * ```ts run
 * const { entries, units } = powerSetSize(comments) // 32 entries, 64 units
 * ```
 */
export function powerSetSize({ facets, itemBytes }: Pick<Collection, 'facets' | 'itemBytes'>): PowerSetSize {
  let entries = 1
  let kept = 1
  for (const { kind, values = [] } of Object.values(listedFacets(facets))) {
    const own = kind === 'oneOf' ? 2 : 2 ** (values.length - 1)
    entries *= own
    // Half of the sets that hold one value hold another given one too.
    kept *= kind === 'oneOf' || values.length < 2 ? own : own / 2
  }
  return {
    entries,
    edited: 2 * entries - kept,
    units: 2 * entries * Math.ceil(itemBytes / KILOBYTE),
    bytes: 2 * entries * itemBytes,
  }
}

/** @throws {LapidaryError} `declaration_invalid` for facets whose power set can't be kept, with the numbers. */
export function requireFeasible(collection: Collection, kept: 'write' | 'stream', sets: 'text' | 'mask'): void {
  const { name } = collection
  const facets = listedFacets(collection.facets)
  const invalid = (message: string): never => {
    throw new LapidaryError('declaration_invalid', `${name}: ${message}`)
  }
  const closed = Object.entries(facets).filter(([, { kind }]) => kind === 'anyOf')
  const open = closed.find(([, { values }]) => values === undefined)
  if (open !== undefined) {
    invalid(
      `the facet ${open[0]} is open, and a power set needs to know all values: declare them, anyOf([…]), make it oneOf(), or use the layout indexes()`,
    )
  }
  const size = powerSetSize(collection)
  const wide = closed.map(([facet, { values = [] }]) => `${facet} with ${values.length} values`).join(' and ')
  const takes = `the power set of ${wide || 'its facets'} takes ${figure(size.entries)} entries for each item: ${figure(size.units)} write units to create one, and ${figure(size.bytes)} bytes`
  if (size.entries > MOST_STREAMED) {
    invalid(
      `${takes}. At most ${MOST_STREAMED} entries are kept: declare fewer values or fewer facets, say listed: false of some, or use the layout indexes(), which merges lists`,
    )
  }
  if (kept === 'write' && size.edited > MOST_WRITTEN) {
    invalid(
      `${takes}, and an edit of its facets is ${figure(size.edited)} entries. One transaction takes ${MOST_WRITTEN}: let the change stream keep them, powerSet({ kept: 'stream' }), declare fewer values, or use the layout indexes()`,
    )
  }
  const texts = closed.map(([, { values = [] }]) => values.map(facetText).join('.'))
  const longest = byteLength(texts.join('/')) + 2 * Object.keys(facets).length + 2
  if (sets === 'text' && longest > LONGEST_SORT_KEY) {
    invalid(
      `the values of its facets make keys of ${longest} bytes, and a sort key has at most ${LONGEST_SORT_KEY}: write sets as bit masks, powerSet({ sets: 'mask' })`,
    )
  }
}

function figure(value: number): string {
  return value < 1e15 ? value.toLocaleString('en') : value.toPrecision(3)
}
