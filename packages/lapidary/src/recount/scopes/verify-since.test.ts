import { expect, test } from 'vitest'
import { countedTable, MADE_AT } from '../../../test/memory-items/counted-table.ts'
import { verifySince } from './verify-since.ts'

test('is stopped while it reads what changed, as everything else is', async () => {
  const { derived, write, count } = countedTable()
  await write('1', 'q')
  await count()
  const options = { idleMs: 1, signal: AbortSignal.abort() }
  await expect(verifySince(derived, [], options, 0)).rejects.toMatchObject({ code: 'aborted' })
})

test('of recent changes each is told of that was made since, and none before', async () => {
  const { derived, write, count } = countedTable()
  for (const id of ['1', '2', '3', '4']) await write(id, 'q')
  await count()
  await write('9', 'r')
  const suspected = async (since: number): Promise<number> => {
    let told = 0
    const copy = { suspect: () => void told++, notVerified: [], begin: async () => {}, see() {}, logged() {} }
    const compared = [{ ...copy, compare: async () => 0 }] as never
    expect(await verifySince({ ...derived, compared }, [], { idleMs: 1 }, since)).toMatchObject({
      differenceCount: 0,
      items: 0,
      targets: 0,
    })
    return told
  }
  expect(await suspected(MADE_AT)).toBeGreaterThanOrEqual(5)
  expect(await suspected(MADE_AT + 1)).toBe(0)
})
