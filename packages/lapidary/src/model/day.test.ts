import fc from 'fast-check'
import { chosenSeed } from 'lapidary-testing'
import { expect, test } from 'vitest'
import {
  dayAfter,
  dayOf,
  dayStart,
  daysBetween,
  isDay,
  isZone,
  type Span,
  spanEnd,
  spanStart,
  spansBetween,
} from './day.ts'

const seed = chosenSeed(process.env.FC_SEED)
console.info(`FC_SEED=${seed}`)
const options = { seed, numRuns: 1_000 }

const times = fc
  .date({ min: new Date('1900-01-01T00:00:00.000Z'), max: new Date('2100-01-01T00:00:00.000Z'), noInvalidDate: true })
  .map((time) => time.toISOString())
const days = times.map((time) => time.slice(0, 10))
const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/St_Johns', 'Pacific/Apia', 'Pacific/Kiritimati')

test('a time is in the day that a calendar of the zone shows', () => {
  fc.assert(
    fc.property(times, zones, (time, zone) => {
      const shown = new Date(time).toLocaleDateString('sv-SE', { timeZone: zone })
      expect(dayOf(zone)(time)).toBe(shown)
    }),
    options,
  )
  const berlin = dayOf('Europe/Berlin')
  expect(['2024-03-30T22:59:59.999Z', '2024-03-30T23:00:00.000Z', '2024-03-31T22:00:00.000Z'].map(berlin)).toEqual([
    ...['2024-03-30', '2024-03-31', '2024-04-01'],
  ])
  expect([isZone('UTC'), isZone('Europe/Berlin'), isZone('Mars/Base'), isZone('')]).toEqual([true, true, false, false])
})

test('a day begins with its first second, in the zone', () => {
  // An hour that clocks are put back by may begin a minute after midnight, and then the day before goes on: St. John's did so until 2011.
  const steady = zones.filter((zone) => zone !== 'America/St_Johns')
  fc.assert(
    fc.property(days, steady, (day, zone) => {
      const start = dayStart(zone)(day)
      const at = (time: number): string => dayOf(zone)(new Date(time).toISOString())
      expect(at(start) >= day).toBe(true)
      expect(at(start - 1) < day).toBe(true)
    }),
    { ...options, numRuns: 200 },
  )
  const starts = ['2024-03-31', '2024-04-01'].map((day) => new Date(dayStart('Europe/Berlin')(day)).toISOString())
  expect(starts).toEqual(['2024-03-30T23:00:00.000Z', '2024-03-31T22:00:00.000Z'])
  // Samoa left the 30th of December 2011 out.
  expect(dayStart('Pacific/Apia')('2011-12-30')).toBe(dayStart('Pacific/Apia')('2011-12-31'))
  expect(spansBetween('week', '2026-01-01', '2026-01-13')).toEqual(['2025-12-29', '2026-01-05', '2026-01-12'])
})

test('parts of a time line begin where the one before ends, and hold each of their days', () => {
  fc.assert(
    fc.property(days, fc.constantFrom<Span>('day', 'week', 'month'), (day, span) => {
      const [start, end] = [spanStart(span, day), spanEnd(span, day)]
      expect(start <= day && day < end).toBe(true)
      expect(spanStart(span, end)).toBe(end)
      for (let each = start; each < end; each = dayAfter(each)) {
        expect([spanStart(span, each), spanEnd(span, each)]).toEqual([start, end])
      }
      if (span === 'week') expect(daysBetween(start, end)).toBe(7)
    }),
    options,
  )
  expect([spanStart('week', '2024-12-31'), spanEnd('week', '2024-12-31')]).toEqual(['2024-12-30', '2025-01-06'])
  expect([spanStart('month', '2024-02-29'), spanEnd('month', '2024-12-31')]).toEqual(['2024-02-01', '2025-01-01'])
})

test.each(['2024-02-30', '2024-2-3', '2024-01-01T00:00:00.000Z', '', '24-01-01', 7, null])('%j is no day', (text) => {
  expect(isDay(text)).toBe(false)
})
