import type { ListChange, ListStep, SortedLists } from 'lapidary'
import { expect } from 'vitest'

const DAY = 86_400_000
const BEGINNING = 1_600_000_000_000

/** The mark of a shard that was still for a week is gone: what comes again of it is taken in. That of one that moved is kept. */
export async function expectWeekOfMarks(lists: SortedLists): Promise<void> {
  const change = (sequenceNumber: number, op: ListStep['op'], member: string, day: number): ListChange => ({
    sequenceNumber: String(sequenceNumber),
    at: BEGINNING + day * DAY,
    steps: [{ op, group: '42', cell: 'en#5', place: { score: 1, member } }],
  })
  const last = () => {
    const question = { groups: ['42'], includes: () => true, lower: undefined, upper: undefined }
    return lists.select({ ...question, ascending: false, offset: 0 })
  }
  const [still, moving] = ['still', 'moving'].map((name) => [change(1, 'add', name, 0), change(2, 'remove', name, 0)])
  const comeAgain = async (): Promise<void> => {
    await lists.apply('still', still?.slice(0, 1) ?? [])
    await lists.apply('moving', moving?.slice(0, 1) ?? [])
  }
  await lists.create()
  await lists.apply('still', still ?? [])
  await lists.apply('moving', moving ?? [])
  await lists.apply('sixth day', [change(1, 'add', 'a', 6)])
  await lists.apply('sixth day too', [change(1, 'add', 'b', 6)])
  await comeAgain()
  expect((await last()).total).toBe(2)
  await lists.apply('moving', [change(3, 'add', 'c', 8)])
  await lists.apply('eighth day', [change(1, 'add', 'd', 8)])
  await comeAgain()
  expect(await last()).toMatchObject({ total: 5, place: { member: 'still' } })
}
