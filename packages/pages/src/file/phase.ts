import type { ListsState } from 'lapidary'
import type { ChangingLists, DiskListsView } from './disk-list.ts'
import type { ListNames } from './list-names.ts'

interface PhaseOfLists {
  readonly state: ListsState
  readonly generation: number
}

/** Sorts behind every state. */
const NEWEST = '~'

/** Reads the state of the lists, which is in a list of its own. */
export function phaseOf(lists: DiskListsView, names: ListNames): PhaseOfLists {
  const list = lists.list(names.state)
  const [state, generation] = list.count === 0 ? ['absent', '0'] : list.at(0).member.split(':')
  return { state: state as ListsState, generation: Number(generation) }
}

export function setPhase(lists: ChangingLists, names: ListNames, { state, generation }: PhaseOfLists): void {
  const list = lists.list(names.state)
  if (list.count > 0) lists.change({ type: 'remove', list: names.state, member: list.at(0).member })
  lists.change({ type: 'set', list: names.state, member: `${state}:${generation}`, score: 0 })
}

/** When the newest change was made that is in, in milliseconds since 1970. */
export function newestOf(lists: DiskListsView, names: ListNames): number | undefined {
  const list = lists.list(names.state)
  return list.count < 2 ? undefined : Number(list.at(1).member.slice(NEWEST.length))
}

/** Notes when a change was made, unless a newer one is in; the lists must be there. */
export function setNewest(lists: ChangingLists, names: ListNames, at: number): void {
  const before = newestOf(lists, names) ?? 0
  if (at <= before) return
  if (before > 0) lists.change({ type: 'remove', list: names.state, member: `${NEWEST}${before}` })
  lists.change({ type: 'set', list: names.state, member: `${NEWEST}${at}`, score: 0 })
}
