import type { Change } from '../derived/change.ts'
import type { Entry } from '../model/entry.ts'
import type { ListEntry, ListStep } from './sorted-lists.ts'

/** What a change of an item does to the lists: nothing where it stays in its place. */
export function stepsOf(
  { before, after }: Change,
  entriesOf: (image: Entry) => readonly ListEntry[],
): readonly ListStep[] {
  const [was, is] = [before, after].map((image) => (image === undefined ? [] : entriesOf(image))) as [
    readonly ListEntry[],
    readonly ListEntry[],
  ]
  const gone = was.filter((entry) => !is.some((other) => isSamePlace(entry, other)))
  const come = is.filter((entry) => !was.some((other) => isSamePlace(entry, other)))
  return [
    ...gone.map((entry) => ({ op: 'remove', ...entry }) as const),
    ...come.map((entry) => ({ op: 'add', ...entry }) as const),
  ]
}

function isSamePlace(a: ListEntry, b: ListEntry): boolean {
  const isEqual = a.place.score === b.place.score && a.place.member === b.place.member
  return isEqual && a.group === b.group && a.cell === b.cell
}
