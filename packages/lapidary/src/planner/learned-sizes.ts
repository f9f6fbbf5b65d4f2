import type { List } from '../layouts/layout.ts'
import type { EntrySize } from './entry-size.ts'
import { keepLatest } from './keep-latest.ts'

/** Sizes of some entries: how many, their sum, and the sum of their squares. */
export interface SizeSample {
  readonly entries: number
  readonly bytes: number
  readonly squares: number
}

/** Learns what entries weigh by reading them. */
export interface LearnedSizes {
  /** Takes in entries that were read from a list. */
  learn(list: List, sample: SizeSample): void
  /**
   * Tells what the entries of a list weigh, by what was read of it, of its index and of the collection, and by the declaration.
   *
   * @param counted Their mean where statistics know it; then only the spread is learned.
   */
  size(list: List, counted?: number): EntrySize
  /** Grows when some size is another than it was by more than a plan would notice. */
  readonly revision: number
}

/** Entries that a memory holds at most: of more, the older weigh less. A change of sizes is followed within as many. */
const MOST_ENTRIES = 2_000
/** How many entries' worth the declaration is believed; the collection, of one of its indexes; an index, of one of its lists. */
const DECLARED_ENTRIES = 1
const WIDER_ENTRIES = 10
/** All of a collection's lists together. */
const ALL = 'all'
/** Standard deviation over the mean of sizes of which nothing is known but the declared mean. */
const DECLARED_VARIATION = 0.25
/** Sizes that differ by less of the mean make the same plans. */
const NOTICED = 0.005
const MOST_LISTS = 2_000

/** @param declaredBytes What the declaration says that an entry weighs. */
export function createLearnedSizes(declaredBytes: number): LearnedSizes {
  const declared: Belief = {
    mean: declaredBytes,
    square: declaredBytes ** 2 * (1 + DECLARED_VARIATION ** 2),
    worth: DECLARED_ENTRIES,
  }
  const collection = new Map<typeof ALL, Memory>()
  const indexes = new Map<string, Memory>()
  const lists = new Map<string, Memory>()
  let revision = 0

  /** @returns What is believed now, worth at most so many entries. */
  const learnAt = <K>(memories: Map<K, Memory>, name: K, seen: SizeSample, prior: Belief, most: number): Belief => {
    const memory = memories.get(name)
    const sample = added(memory?.sample, seen)
    const belief = believed(prior, sample, most)
    const now = sizeOf(belief)
    const isSame = memory !== undefined && isAlike(memory.told, now)
    if (!isSame) revision += 1
    keepLatest(memories, name, { sample, told: isSame ? memory.told : now }, MOST_LISTS)
    return belief
  }

  return {
    get revision() {
      return revision
    },
    learn({ index = '', label }, sample) {
      if (sample.entries === 0) return
      const ofCollection = learnAt(collection, ALL, sample, declared, WIDER_ENTRIES)
      const ofIndex = learnAt(indexes, index, sample, ofCollection, WIDER_ENTRIES)
      learnAt(lists, `${index} ${label}`, sample, ofIndex, Number.POSITIVE_INFINITY)
    },
    size({ index = '', label }, counted) {
      const read = lists.get(`${index} ${label}`) ?? indexes.get(index) ?? collection.get(ALL)
      const size = read?.told ?? sizeOf(declared)
      if (counted === undefined) return size
      return Object.freeze({ mean: counted, spread: (size.spread / size.mean) * counted, doubt: 0 })
    },
  }
}

interface Memory {
  readonly sample: SizeSample
  /** The size that plans are made by, until it is noticeably another. */
  readonly told: EntrySize
}

/** Mean and mean square of sizes, and how many entries' worth they are. */
interface Belief {
  readonly mean: number
  readonly square: number
  readonly worth: number
}

/** A belief corrected by what was seen, each by its worth; then worth at most so many entries. */
function believed(prior: Belief, seen: SizeSample, most: number): Belief {
  const worth = prior.worth + seen.entries
  return {
    mean: (prior.worth * prior.mean + seen.bytes) / worth,
    square: (prior.worth * prior.square + seen.squares) / worth,
    worth: Math.min(worth, most),
  }
}

/** The mean of n sizes is off by their deviation over the root of n. */
function sizeOf({ mean, square, worth }: Belief): EntrySize {
  const variance = Math.max(0, square - mean ** 2)
  return Object.freeze({ mean, spread: Math.sqrt(variance), doubt: Math.sqrt(variance / worth) })
}

function isAlike(a: EntrySize, b: EntrySize): boolean {
  const near = (field: keyof EntrySize): boolean => Math.abs(a[field] - b[field]) <= NOTICED * a.mean
  return near('mean') && near('spread') && near('doubt')
}

function added(memory: SizeSample | undefined, { entries, bytes, squares }: SizeSample): SizeSample {
  const sum = (memory?.entries ?? 0) + entries
  const kept = Math.min(1, MOST_ENTRIES / sum)
  return {
    entries: sum * kept,
    bytes: ((memory?.bytes ?? 0) + bytes) * kept,
    squares: ((memory?.squares ?? 0) + squares) * kept,
  }
}
