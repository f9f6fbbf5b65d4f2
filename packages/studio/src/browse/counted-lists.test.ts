import type { Counts } from 'lapidary'
import { expect, test } from 'vitest'
import { createCountedLists } from './counted-lists.ts'

const counts = (total: number): Counts => ({ total }) as Counts
const query = { scope: 'c1', where: { status: ['OPEN'] } }
const MINUTE = 60_000

test('a page that is not patient goes without counts, and the next has them, counted once', async () => {
  const lists = createCountedLists()
  let counted = 0
  let finish: (counts: Counts) => void = () => {}
  const count = () => {
    counted++
    return new Promise<Counts>((resolve) => {
      finish = resolve
    })
  }
  const options = { count, asOf: 'now', patience: 1 }
  expect(await lists.known(query, options)).toEqual({ counts: undefined, isCounting: true })
  const waiting = lists.known({ ...query, limit: 5, order: 'oldest' }, { ...options, patience: MINUTE })
  finish(counts(3))
  expect(await waiting).toEqual({ counts: counts(3), isCounting: false })
  expect(await lists.known(query, options)).toEqual({ counts: counts(3), isCounting: false })
  expect(counted).toBe(1)
})

test('counts are of one filter, of what was counted by then, and a minute old at most', async () => {
  let time = 0
  let counted = 0
  const lists = createCountedLists(() => time)
  const totalOf = async (asked: object, asOf: string | null): Promise<number | null | undefined> => {
    const count = async () => counts(++counted)
    return (await lists.known(asked, { count, asOf, patience: MINUTE })).counts?.total
  }
  expect(await totalOf(query, 'a')).toBe(1)
  expect(await totalOf(query, 'a')).toBe(1)
  expect(await totalOf(query, 'b')).toBe(2)
  expect(await totalOf({ ...query, where: { status: ['PAID'] } }, 'b')).toBe(3)
  expect(await totalOf({ ...query, scope: 'c2' }, 'b')).toBe(4)
  time = MINUTE
  expect(await totalOf(query, 'b')).toBe(5)
  for (let i = 0; i < 100; i++) await totalOf({ scope: String(i) }, null)
  expect(await totalOf(query, 'b')).toBe(106)
})

test('a count that failed is tried again', async () => {
  const lists = createCountedLists()
  const failing = { count: () => Promise.reject(new Error('away')), asOf: null, patience: MINUTE }
  await expect(lists.known(query, failing)).rejects.toThrow('away')
  expect(await lists.known(query, { ...failing, count: async () => counts(1) })).toMatchObject({ counts: counts(1) })
})
