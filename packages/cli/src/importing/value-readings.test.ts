import { anyOf, defineCollection, oneOf } from 'lapidary'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { valueReadings } from './value-readings.ts'

const LATER = { dates: [], zone: undefined, timesFirst: false, languagesFirst: false }
const FIRST = { ...LATER, timesFirst: true, languagesFirst: true }

const notes = (at: z.ZodType, languages?: readonly string[]) =>
  defineCollection({
    name: 'NOTE',
    schema: z.object({
      id: z.string(),
      shop: z.string(),
      at,
      language: z.string(),
      stars: z.int(),
      year: z.int(),
    }) as never,
    id: 'id',
    scope: { name: 'SHOP', attribute: 'shop' },
    order: 'at',
    facets: {
      language: languages === undefined ? oneOf() : oneOf(languages as [string]),
      stars: anyOf([1, 2, 3, 4, 5]),
      year: anyOf([2023, 2024]),
    },
  } as never) as never

describe('values', () => {
  it('are left to the schema where nothing else was asked', async () => {
    const readings = await valueReadings(notes(z.string()), LATER)
    for (const [name, value] of [
      ['at', '2021-03-04 10:00'],
      ['language', 'English'],
      ['stars', '4/5'],
      ['at', ''],
    ])
      expect(readings.before(name ?? '', value)).toBe(value)
  })

  it('are read first when asked, where the schema takes what they become', async () => {
    const readings = await valueReadings(notes(z.iso.datetime()), FIRST)
    expect(readings.before('at', '2021-03-04 10:00')).toBe('2021-03-04T10:00:00.000Z')
    expect(readings.before('at', 1614852000123)).toBe('2021-03-04T10:00:00.123Z')
    expect(readings.before('at', '03/04/2021')).toBe('03/04/2021')
    expect(readings.before('language', 'English')).toBe('en')
    expect(readings.before('stars', 4)).toBe(4)
    const own = await valueReadings(notes(z.string().length(10), ['English', 'German']), FIRST)
    expect(own.before('at', '2021-03-04')).toBe('2021-03-04')
    expect(own.before('language', 'English')).toBe('English')
  })

  it('that were refused have their hint', async () => {
    const { hint } = await valueReadings(notes(z.iso.datetime()), LATER)
    expect(hint('stars', 'x')).toBe('it takes 1, 2, 3, 4, 5, also as "5.0 out of 5", 5/5 or ★★★★★')
    expect(hint('year', 'x')).toBe('it takes 2023, 2024')
    expect(hint('language', 'x')).toBe('')
    expect(hint('at', '1/2/2021')).toContain("--dates 'M/d/yyyy'")
  })
})
