import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { MaintenanceProgress } from './maintenance-options.ts'
import { ProgressMeter } from './progress-meter.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function metered() {
  const told: MaintenanceProgress[] = []
  let capacity = 0.4
  const meter = new ProgressMeter({
    onProgress: (progress) => told.push(progress),
    now: Date.now,
    capacity: () => capacity,
  })
  const later = (spent: number): MaintenanceProgress | undefined => {
    capacity = spent
    vi.advanceTimersByTime(500)
    return told.at(-1)
  }
  return { meter, told, later }
}

test('tells twice a second how far it is, and how long the rest takes at that pace', () => {
  const { meter, told, later } = metered()
  meter.enter('scan', 10)
  meter.done = 2
  meter.differences = 3
  expect(later(7.6)).toEqual({ phase: 'scan', done: 2, total: 10, leftMs: 2_000, capacity: 8, differences: 3 })
  meter.done = 10
  expect(later(7.4)).toMatchObject({ done: 10, total: 10, leftMs: 0, capacity: 7 })
  vi.advanceTimersByTime(2_000)
  expect(told).toHaveLength(6)
})

test('tells no time and no end where they are not known', () => {
  const { meter, later } = metered()
  meter.enter('scan')
  meter.done = 5
  expect(later(0)).toMatchObject({ done: 5, total: undefined, leftMs: undefined })
  meter.enter('scan', 10)
  expect(later(0)).toMatchObject({ done: 0, total: 10, leftMs: undefined })
  meter.done = 11
  expect(later(0)).toMatchObject({ done: 11, total: undefined, leftMs: undefined })
})

test('each phase begins anew, with a count of its own where it has one', () => {
  const { meter, told, later } = metered()
  meter.enter('scan', 10)
  meter.done = 4
  later(0)
  let records = 1
  meter.enter('stream', 4, () => records)
  expect(meter.done).toBe(0)
  expect(later(0)).toMatchObject({ phase: 'stream', done: 1, total: 4, leftMs: 1_500 })
  records = 2
  expect(later(0)).toMatchObject({ done: 2, leftMs: 1_000 })
  meter.enter('compare', 3)
  expect(later(0)).toMatchObject({ phase: 'compare', done: 0, total: 3 })
  expect(told).toHaveLength(4)
})

test('tells nothing more once it is stopped, and has no clock where there is no listener', () => {
  const { meter, told } = metered()
  meter.enter('scan')
  meter.stop()
  vi.advanceTimersByTime(5_000)
  expect(told).toEqual([])
  const silent = new ProgressMeter({ onProgress: undefined, now: Date.now, capacity: () => 0 })
  silent.enter('scan')
  expect(vi.getTimerCount()).toBe(0)
  silent.stop()
})

test('what a caller throws ends nothing', () => {
  let told = 0
  const meter = new ProgressMeter({
    onProgress() {
      told += 1
      throw new Error('mine')
    },
    now: Date.now,
    capacity: () => 0,
  })
  meter.enter('scan')
  vi.advanceTimersByTime(1_000)
  meter.stop()
  expect(told).toBe(2)
})
