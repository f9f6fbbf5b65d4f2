import { setImmediate as nextTurn } from 'node:timers/promises'
import { LapidaryError, shown } from 'lapidary'
import type { BaseFile, DirectoryEntry } from './base-file.ts'
import { BaseList } from './base-list.ts'
import { BLOCK_BYTES } from './block.ts'
import { compareEntries, type DiskEntry } from './disk-list.ts'
import { END_OF_HASHES } from './hash-order.ts'
import { keyedHash } from './keyed-hash.ts'
import type { Layers } from './layers.ts'

/** The findings of a check of a store. */
export interface Validation {
  readonly lists: number
  readonly entries: number
  /** Each says what is wrong; empty when all is well. */
  readonly problems: readonly string[]
}

const AT_ONCE = 1_000
const MOST_PROBLEMS = 100

/** Gives other work its turn now and then. */
type Breathe = () => Promise<unknown> | undefined

function breather(): Breathe {
  let steps = 0
  return () => (++steps % AT_ONCE === 0 ? nextTurn() : undefined)
}

/** Reads every block, and compares everything that is stored twice. */
export async function validateLayers(layers: Layers): Promise<Validation> {
  const problems: string[] = []
  const breathe = breather()
  let lists = 0
  let entries = 0
  try {
    for await (const problem of problemsOfBase(layers.base, breathe)) problems.push(problem)
    for (const set of [layers.merging, layers.live]) {
      for (const [name, list] of set?.lists ?? []) {
        problems.push(...list.problems().map((problem) => `the changes of the list ${shown(name)}: ${problem}`))
        await breathe()
      }
    }
    const { changes } = layers
    for (let from = 0; from < END_OF_HASHES; ) {
      const { texts, end } = layers.names(from, AT_ONCE)
      lists += texts.length
      for (const { text } of texts) entries += layers.list(text).count
      from = end
      await nextTurn()
    }
    const isQuiet = changes === layers.changes
    if (isQuiet && lists !== layers.listCount)
      problems.push(`there are ${lists} lists, and ${layers.listCount} are counted`)
  } catch (error) {
    if (!(error instanceof LapidaryError)) throw error
    problems.push(error.message)
  }
  return { lists, entries, problems: problems.slice(0, MOST_PROBLEMS) }
}

async function* problemsOfBase(base: BaseFile, breathe: Breathe): AsyncGenerator<string, undefined> {
  for (let block = 0; block * BLOCK_BYTES < base.sections.fileBytes; block++) {
    await breathe()
    base.cache.offsetOf(block)
  }
  let start = 0
  let before: DirectoryEntry | undefined
  for (let i = 0; i < base.header.lists; i++) {
    const entry = base.directoryEntry(i)
    const list = `the list ${shown(entry.name)}`
    if (entry.hash !== keyedHash(base.header.hashKey, entry.name)) yield `${list} has another hash`
    if (before !== undefined && (before.hash - entry.hash || +(before.name >= entry.name) || -1) >= 0) {
      yield `${list} is out of order`
    }
    if (entry.start !== start || entry.count === 0) yield `${list} has ${entry.count} entries from ${entry.start} on`
    for await (const problem of problemsOfList(base, entry, breathe)) yield `${list}: ${problem}`
    start += entry.count
    before = entry
  }
  if (start !== base.header.entries) yield `the lists have ${start} entries of ${base.header.entries}`
}

async function* problemsOfList(
  base: BaseFile,
  entry: DirectoryEntry,
  breathe: Breathe,
): AsyncGenerator<string, undefined> {
  const { count } = entry
  const list = new BaseList(base, entry)
  let before: DiskEntry | undefined
  for (let rank = 0; rank < count; rank++) {
    await breathe()
    const entry = list.at(rank)
    if (Number.isNaN(entry.score)) yield `the score at rank ${rank} is no number`
    if (before !== undefined && compareEntries(before, entry) >= 0) yield `rank ${rank} is out of order`
    before = entry
  }
  const seen = new Uint8Array(count)
  let hashBefore = 0
  for (let i = 0; i < count; i++) {
    await breathe()
    const { hash, rank } = list.indexAt(i)
    if (hash < hashBefore) yield `place ${i} of the index is out of order`
    if (rank >= count || seen[rank] === 1) yield `place ${i} of the index leads to rank ${rank}`
    else if (keyedHash(base.header.hashKey, list.at(rank).member) !== hash)
      yield `place ${i} of the index is of another member`
    else seen[rank] = 1
    hashBefore = hash
  }
}
