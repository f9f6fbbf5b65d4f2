import { expect, test } from 'vitest'
import { Again, retrying } from './retrying.ts'

const waits: number[] = []
const waiting = { random: () => 1, sleep: async (milliseconds: number) => void waits.push(milliseconds) }

test('tries until there is an answer, after longer waits that stop growing', async () => {
  waits.length = 0
  let tries = 0
  const attempt = async (): Promise<Again | number> => (++tries < 6 ? new Again() : tries)
  expect(await retrying(waiting, { most: 10, steadyFrom: 3, gaveUp: () => 0 }, attempt)).toBe(6)
  expect(waits).toEqual([50, 100, 200, 200, 200])
})

test('gives up after so many tries, and knows how many and why', async () => {
  waits.length = 0
  const gaveUp = (tries: number, cause: unknown) => `${tries} times: ${cause}`
  expect(await retrying(waiting, { most: 3, gaveUp }, async () => new Again('busy'))).toBe('3 times: busy')
  expect(waits).toHaveLength(2)
})

test('an error is an answer', async () => {
  const failing = retrying(waiting, { most: 3, gaveUp: () => 0 }, () => Promise.reject(new Error('no')))
  await expect(failing).rejects.toThrow('no')
})
