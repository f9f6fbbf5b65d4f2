import type { ListChange, ListEntry, Place, RankAnswer, RankQuestion } from 'lapidary'
import { isBeyond, type RandomAccess, selectRank } from 'lapidary/internal'
import { type ByteString, bytesOf, textOf } from './byte-string.ts'
import { type ChangingLists, compareEntries, type DiskEntry, type DiskList, type DiskListsView } from './disk-list.ts'
import type { ListNames } from './list-names.ts'
import { newestOf, phaseOf } from './phase.ts'
import { entryAt, placeOfEntry, rankOfPlace } from './placed-entry.ts'
import { markOf, moveMark, type ShardMark } from './shard-marks.ts'

/** How an entry is written that a list does not have; S3 has a form of its own. */
export type EntryForm = (list: DiskList, place: Place) => DiskEntry

/** The part of a list that a question is about, by ranks. */
export interface AskedWindow {
  readonly list: DiskList
  readonly low: number
  readonly high: number
}

/** Cuts windows to what the entry with so many before it in their lists can be in. */
export type Narrowing = (windows: readonly AskedWindow[], rank: number) => readonly AskedWindow[]

/** The entry of a rank in the union of lists of some groups, and how many there are. */
export function selectPlace(
  lists: DiskListsView,
  names: ListNames,
  question: RankQuestion,
  narrow: Narrowing = (windows) => windows,
): RankAnswer {
  const asked = windowsAsked(lists, names, question)
  const asOf = newestOf(lists, names)
  const total = asked.reduce((sum, { low, high }) => sum + high - low, 0)
  const rank = question.ascending ? question.offset : total - 1 - question.offset
  if (rank < 0 || rank >= total) return { total, place: undefined, rcu: 0, rounds: 0, asOf }
  const before = passedBy(asked) + rank
  const open = narrow(asked, before)
  const entry = selectRank(open.map(randomAccess), before - passedBy(open))
  return { total, place: entry && placeOfEntry(entry), rcu: 0, rounds: 0, asOf }
}

/** The entries of a window as a list of their own. */
function randomAccess({ list, low, high }: AskedWindow): RandomAccess<DiskEntry> {
  return {
    size: high - low,
    at: (rank) => list.at(low + rank),
    rank: ({ score, member }) => Math.min(high, Math.max(low, list.rank(score, member))) - low,
  }
}

/** Entries before windows. */
export function passedBy(windows: readonly AskedWindow[]): number {
  return windows.reduce((sum, { low }) => sum + low, 0)
}

function windowsAsked(lists: DiskListsView, names: ListNames, question: RankQuestion): readonly AskedWindow[] {
  return listsAsked(lists, names, question).map((name) => windowAsked(lists.list(name), question))
}

/** The lists that a question is about. */
export function listsAsked(
  lists: DiskListsView,
  names: ListNames,
  { groups, includes }: RankQuestion,
): readonly ByteString[] {
  const { generation } = phaseOf(lists, names)
  return groups.flatMap((group) =>
    cellsOf(lists, names, generation, group)
      .filter(includes)
      .map((cell) => names.entries(generation, group, cell)),
  )
}

export function windowAsked(list: DiskList, { lower, upper }: Pick<RankQuestion, 'lower' | 'upper'>): AskedWindow {
  const low = lower === undefined ? 0 : rankOfPlace(list, lower)
  return { list, low, high: Math.max(low, upper === undefined ? list.count : rankOfPlace(list, upper)) }
}

/** The lists of a group that have entries. */
export function cellsOf(lists: DiskListsView, names: ListNames, generation: number, group: string): readonly string[] {
  const cells = lists.list(names.cells(generation, group))
  return cells.slice(0, cells.count).map(({ member }) => textOf(member))
}

/** Takes in changes of a shard, each once, and how far the shard is then. */
export function applyChanges(
  lists: ChangingLists,
  names: ListNames,
  form: EntryForm,
  shardId: string,
  changes: readonly ListChange[],
): void {
  const { state, generation } = phaseOf(lists, names)
  if (state === 'absent') return
  const mark: ShardMark | undefined = markOf(lists, names, shardId)
  const cells = new GroupLists(lists, names, form, generation)
  let last = mark
  for (const { sequenceNumber, steps, at = 0 } of changes) {
    if (!isBeyond(sequenceNumber, last?.sequenceNumber)) continue
    last = { sequenceNumber, at: Math.round(at) }
    for (const { op, ...entry } of steps) {
      if (state === 'filling') cells.tell(entry)
      if (op === 'add') cells.put(entry)
      else cells.take(entry)
    }
  }
  if (last !== undefined && last !== mark) moveMark(lists, names, shardId, last)
}

/** Adds what a scan saw, where no change has told of it yet. */
export function addSeen(
  lists: ChangingLists,
  names: ListNames,
  form: EntryForm,
  generation: number,
  seen: readonly ListEntry[],
): void {
  const cells = new GroupLists(lists, names, form, generation)
  for (const entry of seen) if (!cells.isTold(entry)) cells.put(entry)
}

/** The lists of a group, and which of them there are. */
class GroupLists {
  readonly #lists: ChangingLists
  readonly #names: ListNames
  readonly #form: EntryForm
  readonly #generation: number

  constructor(lists: ChangingLists, names: ListNames, form: EntryForm, generation: number) {
    this.#lists = lists
    this.#names = names
    this.#form = form
    this.#generation = generation
  }

  put({ group, cell, place }: ListEntry): void {
    const isNew = this.#put(this.#names.entries(this.#generation, group, cell), place)
    const cells = this.#names.cells(this.#generation, group)
    if (isNew) this.#lists.change({ type: 'set', list: cells, member: bytesOf(cell), score: 0 })
  }

  take({ group, cell, place }: ListEntry): void {
    const list = this.#names.entries(this.#generation, group, cell)
    const entry = entryAt(this.#lists.list(list), place)
    if (entry === undefined) return
    this.#lists.change({ type: 'remove', list, member: entry.member })
    if (this.#lists.list(list).count > 0) return
    const cells = this.#names.cells(this.#generation, group)
    this.#lists.change({ type: 'remove', list: cells, member: bytesOf(cell) })
  }

  /** Takes it out of wherever the scan saw it, which is right no more. */
  tell(entry: ListEntry): void {
    const { group, place } = entry
    for (const cell of cellsOf(this.#lists, this.#names, this.#generation, group)) this.take({ ...entry, cell })
    this.#put(this.#names.told(this.#generation, group), place)
  }

  isTold({ group, place }: ListEntry): boolean {
    return entryAt(this.#lists.list(this.#names.told(this.#generation, group)), place) !== undefined
  }

  /** Tells whether the list is a new one. */
  #put(name: ByteString, place: Place): boolean {
    const list = this.#lists.list(name)
    if (entryAt(list, place) !== undefined) return false
    const isNew = list.count === 0
    this.#lists.change({ type: 'set', list: name, ...this.#form(list, place) })
    return isNew
  }
}

/** Tells what is wrong with the lists of a group, if anything. */
export function groupProblem(lists: DiskListsView, names: ListNames, group: string): string | undefined {
  const { generation } = phaseOf(lists, names)
  const seen = new Set<string>()
  for (const cell of cellsOf(lists, names, generation, group)) {
    const list = lists.list(names.entries(generation, group, cell))
    if (list.count === 0) return `the list ${cell} of ${group} is known and has no entries`
    let before: DiskEntry | undefined
    for (const entry of list.slice(0, list.count)) {
      const text = JSON.stringify(placeOfEntry(entry))
      if (seen.has(text)) return `${text} is in more than one list of ${group}`
      if (before !== undefined && compareEntries(before, entry) >= 0) return `${text} is out of order in ${cell}`
      seen.add(text)
      before = entry
    }
  }
  return undefined
}
