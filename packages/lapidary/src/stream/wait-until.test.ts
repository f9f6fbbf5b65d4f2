import { expect, test } from 'vitest'
import { waitUntil } from './wait-until.ts'

/** Waits in seconds that pass at once: `signs` are what is seen in each of them, and it is reached after `reachedAt`. */
async function waited(signs: (second: number) => number, reachedAt = Number.POSITIVE_INFINITY): Promise<number> {
  let second = 0
  await waitUntil({
    left: () => (second >= reachedAt ? undefined : String(signs(second))),
    async pause() {
      second += 1
    },
    now: () => second * 1_000,
    gaveUp: () => `gave up after ${second} seconds; do something`,
  })
  return second
}

const tooLong = (seconds: number) => ({
  code: 'unavailable',
  message: `gave up after ${seconds} seconds; do something`,
})

test('waits not at all for what is there, and as long as there are signs for what is not', async () => {
  expect(await waited(() => 0, 0)).toBe(0)
  expect(await waited((second) => second, 1_000)).toBe(1_000)
  expect(await waited(() => 0, 60)).toBe(60)
})

test('gives up when there is no sign for a minute, whenever the last one was', async () => {
  await expect(waited(() => 0)).rejects.toMatchObject(tooLong(61))
  await expect(waited((second) => Math.min(second, 30))).rejects.toMatchObject(tooLong(91))
})

test('what a process slept through is no silence: what it waits for had no time either', async () => {
  let time = 0
  let pauses = 0
  await waitUntil({
    left: () => (pauses === 5 ? undefined : 'all of it'),
    async pause() {
      pauses += 1
      time += 3_600_000
    },
    now: () => time,
    gaveUp: () => 'gave up',
  })
  expect(pauses).toBe(5)
})
