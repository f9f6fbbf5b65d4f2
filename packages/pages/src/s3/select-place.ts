import type { RankAnswer, RankQuestion } from 'lapidary'
import { compareEntries } from '../file/disk-list.ts'
import type { ListNames } from '../file/list-names.ts'
import { listsAsked, type Narrowing, passedBy, selectPlace, windowAsked } from '../file/placed-lists.ts'
import { boundsIn, type Fence, fencesIn, firstFrom } from './fenced-list.ts'
import type { Reading } from './object-store.ts'

/**
 * The entry of a rank in the union of lists of some groups. Fences leave one chunk or two of each list open. What is needed is read side by
 * side first, so that the answer itself, which is found in one turn of the event loop, waits for little.
 */
export async function selectFromObjects(
  reading: Reading,
  names: ListNames,
  question: RankQuestion,
): Promise<RankAnswer> {
  const { layers } = reading
  const { ascending, offset } = question
  const lists = (
    await reading.all(question.groups.map((group) => () => listsAsked(layers, names, { ...question, groups: [group] })))
  ).flat()
  await reading.all(lists.map((name) => () => layers.list(name)))
  const windows = await reading.all(lists.map((name) => () => windowAsked(layers.list(name), question)))
  const total = windows.reduce((sum, { low, high }) => sum + high - low, 0)
  const rank = ascending ? offset : total - 1 - offset
  if (rank >= 0 && rank < total) {
    const ends = narrow(windows, passedBy(windows) + rank).flatMap(({ list, low, high }) =>
      // A window is in three chunks at most.
      [low, (low + high) >>> 1, high - 1].map((at) => () => void (at >= low && at < list.count && list.at(at))),
    )
    await reading.all(ends)
  }
  const [answer] = await reading.all([() => selectPlace(layers, names, question, narrow)])
  return { total: 0, place: undefined, rcu: 0, ...answer, rounds: reading.rounds() }
}

/** Between the last fence that is surely not behind the entry of a rank, and the first one that surely is. */
const narrow: Narrowing = (windows, rank) => {
  const fences = windows.flatMap(({ list }) => fencesIn(list)).sort(compareEntries)
  const sum = (fence: Fence, side: 0 | 1): number =>
    windows.reduce((all, { list }) => all + boundsIn(list, fence)[side], 0)
  const first = fences[firstFrom(fences, (fence) => sum(fence, 1) > rank) - 1]
  const last = fences[firstFrom(fences, (fence) => sum(fence, 0) > rank)]
  return windows.map(({ list, low, high }) => {
    const from = Math.min(high, Math.max(low, first === undefined ? 0 : boundsIn(list, first)[0]))
    const to = Math.min(high, last === undefined ? list.count : boundsIn(list, last)[1])
    return { list, low: from, high: Math.max(from, to) }
  })
}
