import { compareSequenceNumbers } from '../../../derived/change.ts'
import type { Place } from '../../place.ts'
import { selectRank } from '../../selection.ts'
import type { ListChange, ListEntry, ListsState, RankAnswer, RankQuestion } from '../../sorted-lists.ts'
import { type ByteString, bytesOf, textOf } from './byte-string.ts'
import type { DiskChange } from './change.ts'
import type { DiskListsView } from './disk-list.ts'
import { compareEntries, type DiskEntry, type DiskList } from './disk-list.ts'
import type { ListNames } from './list-names.ts'
import { entryAt, entryFor, placeOfEntry, rankOfPlace } from './placed-entry.ts'
import { windowOf } from './window.ts'

/** Lists that can be changed; a change shows at once. */
export interface ChangingLists extends DiskListsView {
  change(change: DiskChange): void
}

/** How an entry is written that a list does not have; S3 has a form of its own. */
export type EntryForm = (list: DiskList, place: Place) => DiskEntry

interface PhaseOfLists {
  readonly state: ListsState
  readonly generation: number
}

/** What the reserved list says of the others. */
export function phaseOf(lists: DiskListsView, names: ListNames): PhaseOfLists {
  const list = lists.list(names.state)
  const [state, generation] = list.count === 0 ? ['absent', '0'] : list.at(0).member.split(':')
  return { state: state as ListsState, generation: Number(generation) }
}

export function setPhase(lists: ChangingLists, names: ListNames, { state, generation }: PhaseOfLists): void {
  lists.change({ type: 'drop', list: names.state })
  lists.change({ type: 'set', list: names.state, member: `${state}:${generation}`, score: 0 })
}

/** The part of a list that a question is about, by ranks. */
export interface AskedWindow {
  readonly list: DiskList
  readonly low: number
  readonly high: number
}

/** Cuts windows to what the entry with so many before it in their lists can be in. */
export type Narrowing = (windows: readonly AskedWindow[], rank: number) => readonly AskedWindow[]

/** The entry of a rank in the union of lists of a group, and how many there are. */
export function selectPlace(
  lists: DiskListsView,
  names: ListNames,
  question: RankQuestion,
  narrow: Narrowing = (windows) => windows,
): RankAnswer {
  const asked = windowsAsked(lists, names, question)
  const total = asked.reduce((sum, { low, high }) => sum + high - low, 0)
  const rank = question.ascending ? question.offset : total - 1 - question.offset
  if (rank < 0 || rank >= total) return { total, place: undefined, rcu: 0, rounds: 0 }
  const before = passedBy(asked) + rank
  const open = narrow(asked, before)
  const entry = selectRank(
    open.map(({ list, low, high }) => windowOf(list, low, high)),
    before - passedBy(open),
  )
  return { total, place: entry && placeOfEntry(entry), rcu: 0, rounds: 0 }
}

/** Entries before windows. */
export function passedBy(windows: readonly AskedWindow[]): number {
  return windows.reduce((sum, { low }) => sum + low, 0)
}

function windowsAsked(lists: DiskListsView, names: ListNames, question: RankQuestion): readonly AskedWindow[] {
  const { generation } = phaseOf(lists, names)
  return cellsOf(lists, names, generation, question.group)
    .filter(question.includes)
    .map((cell) => windowAsked(lists.list(names.entries(generation, question.group, cell)), question))
}

export function windowAsked(list: DiskList, { lower, upper }: Pick<RankQuestion, 'lower' | 'upper'>): AskedWindow {
  const low = lower === undefined ? 0 : rankOfPlace(list, lower)
  return { list, low, high: Math.max(low, upper === undefined ? list.count : rankOfPlace(list, upper)) }
}

/** The lists of a group that have entries. */
export function cellsOf(lists: DiskListsView, names: ListNames, generation: number, group: string): readonly string[] {
  return cellsIn(lists, names.cells(generation, group))
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
  const mark = markOf(lists.list(names.marks), shardId)
  const cells = new GroupLists(lists, names, form, generation)
  let last = mark
  for (const { sequenceNumber, steps } of changes) {
    if (last !== undefined && compareSequenceNumbers(sequenceNumber, last) <= 0) continue
    last = sequenceNumber
    for (const { op, ...entry } of steps) {
      if (state === 'filling') cells.takeFromAll(entry)
      if (op === 'add') cells.put(entry)
      else if (state === 'filling') cells.bury(entry)
      else cells.take(entry)
    }
  }
  if (last === undefined || last === mark) return
  if (mark !== undefined) lists.change({ type: 'remove', list: names.marks, member: markText(shardId, mark) })
  lists.change({ type: 'set', list: names.marks, member: markText(shardId, last), score: 0 })
}

/** Forgets how far a shard is. */
export function forgetShard(lists: ChangingLists, names: ListNames, shardId: string): void {
  const mark = markOf(lists.list(names.marks), shardId)
  if (mark !== undefined) lists.change({ type: 'remove', list: names.marks, member: markText(shardId, mark) })
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
  for (const entry of seen) if (!cells.isKnown(entry)) cells.put(entry)
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

  bury({ group, place }: ListEntry): void {
    this.#put(this.#names.tombstones(this.#generation, group), place)
  }

  takeFromAll(entry: ListEntry): void {
    for (const cell of this.#cells(entry.group)) this.take({ ...entry, cell })
    const list = this.#names.tombstones(this.#generation, entry.group)
    const tombstone = entryAt(this.#lists.list(list), entry.place)
    if (tombstone !== undefined) this.#lists.change({ type: 'remove', list, member: tombstone.member })
  }

  /** Whether a list of the group has it, or it was removed. */
  isKnown({ group, place }: ListEntry): boolean {
    const entries = this.#cells(group).map((cell) => this.#names.entries(this.#generation, group, cell))
    return [...entries, this.#names.tombstones(this.#generation, group)].some(
      (list) => entryAt(this.#lists.list(list), place) !== undefined,
    )
  }

  /** Tells whether the list is a new one. */
  #put(name: ByteString, place: Place): boolean {
    const list = this.#lists.list(name)
    if (entryAt(list, place) !== undefined) return false
    const isNew = list.count === 0
    this.#lists.change({ type: 'set', list: name, ...this.#form(list, place) })
    return isNew
  }

  #cells(group: string): readonly string[] {
    return cellsIn(this.#lists, this.#names.cells(this.#generation, group))
  }
}

/** An entry as the disk has it: ids are distinct, so its member is its own. */
export const plainForm: EntryForm = entryFor

/** Tells what is wrong with the lists of a group, if anything. */
export function groupProblem(lists: DiskListsView, names: ListNames, group: string): string | undefined {
  const { generation } = phaseOf(lists, names)
  const seen = new Set<string>()
  for (const cell of cellsIn(lists, names.cells(generation, group))) {
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

function cellsIn(lists: DiskListsView, name: ByteString): readonly string[] {
  const cells = lists.list(name)
  return cells.slice(0, cells.count).map(({ member }) => textOf(member))
}

function markText(shardId: string, sequenceNumber: string): ByteString {
  return bytesOf(`${shardId}\u0000${sequenceNumber}`)
}

function markOf(marks: DiskList, shardId: string): string | undefined {
  const start = markText(shardId, '')
  const rank = marks.rank(0, start)
  const mark = rank < marks.count ? marks.at(rank).member : ''
  return mark.startsWith(start) ? mark.slice(start.length) : undefined
}
