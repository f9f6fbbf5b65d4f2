import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { createTimeReader } from './read-time.ts'
import { knownDates, knownZone } from './time-flags.ts'

const NEW_YORK = 'America/New_York'

describe('a time', () => {
  const reader = createTimeReader([], NEW_YORK)

  it.each([
    ['2021-03-04', '2021-03-04T05:00:00.000Z'],
    ['2021-03-04 10:00:00', '2021-03-04T15:00:00.000Z'],
    ['2021-03-04  9:05', '2021-03-04T14:05:00.000Z'],
    ['2021-03-04T10:00:00.123456Z', '2021-03-04T10:00:00.123Z'],
    ['2021-03-04 10:00:00,5 UTC', '2021-03-04T10:00:00.500Z'],
    ['2021-03-04 10:00:00 +0000', '2021-03-04T10:00:00.000Z'],
    ['2021-03-04T10:00:00+01', '2021-03-04T09:00:00.000Z'],
    ['1614852000', '2021-03-04T10:00:00.000Z'],
    ['1614852000.5', '2021-03-04T10:00:00.500Z'],
    ['1614852000123', '2021-03-04T10:00:00.123Z'],
    ['Wed, 03 Mar 2021 10:00:00 +0100', '2021-03-03T09:00:00.000Z'],
    ['March 3, 2021', '2021-03-03T05:00:00.000Z'],
    ['on March 3, 2021', '2021-03-03T05:00:00.000Z'],
    ['Reviewed in the United States on March 3, 2021', '2021-03-03T05:00:00.000Z'],
    ['Reviewed in the United Kingdom 🇬🇧 on 3 March 2021', '2021-03-03T05:00:00.000Z'],
    ['Rezension aus Deutschland vom 3. März 2021', '2021-03-03T05:00:00.000Z'],
    ['Commenté en France le 3 mars 2021', '2021-03-03T05:00:00.000Z'],
    ['Revisado en España el 3 de marzo de 2021', '2021-03-03T05:00:00.000Z'],
    ['Recensito in Italia il 3 marzo 2021', '2021-03-03T05:00:00.000Z'],
    ['Avaliado no Brasil em 3 de março de 2021', '2021-03-03T05:00:00.000Z'],
    ['2021年3月3日に日本でレビュー済み', '2021-03-03T05:00:00.000Z'],
    ['Mar 3, 2021, 4:05 PM', '2021-03-03T21:05:00.000Z'],
    ['3 Mar 2021', '2021-03-03T05:00:00.000Z'],
    ['2021/3/4', '2021-03-04T05:00:00.000Z'],
  ])('%s is %s', (text, time) => {
    expect(reader.read(text)).toEqual({ time })
  })

  it.each([
    ['03/04/2021', "--dates 'M/d/yyyy' or --dates 'd/M/yyyy' reads it"],
    ['13/04/2021 10:00', "; --dates 'd/M/yyyy H:mm' reads it"],
    ['3.4.21', "--dates 'M.d.yy' or --dates 'd.M.yy' reads it"],
    ['12-31-2021 10:00:59', "; --dates 'M-d-yyyy H:mm:ss' reads it"],
    ['yesterday', 'is no time that can be read; it takes 2021-03-04T10:00:00Z'],
    ['20210304', 'is no time that can be read'],
    ['', 'is no time that can be read'],
    ['2021-13-44', 'is no time that there is'],
    ['2021-02-29 10:00', 'is no time that there is'],
  ])('%j is none that has one meaning, and is told what reads it', (text, problem) => {
    expect(reader.read(text)).toEqual({ problem: expect.stringContaining(problem) })
  })

  it('is read as its formats say, which win', () => {
    const asked = createTimeReader(['MM/dd/yyyy', 'dd.MM.yyyy HH:mm', "d MMM yyyy 'at' H:mm z"], 'Europe/Berlin')
    const times = ['03/04/2021', '04.03.2021 10:00', '4 Mar 2021 at 10:00 America/New_York', '2021-07-01 10:00']
    expect(times.map((text) => asked.read(text))).toEqual([
      { time: '2021-03-03T23:00:00.000Z' },
      { time: '2021-03-04T09:00:00.000Z' },
      { time: '2021-03-04T15:00:00.000Z' },
      { time: '2021-07-01T08:00:00.000Z' },
    ])
    expect(asked.withoutZone()).toBe(3)
  })

  it('that a hint asks for is the one that it reads', () => {
    const days = fc.date({ min: new Date('1970-01-01'), max: new Date('2068-12-31'), noInvalidDate: true })
    fc.assert(
      fc.property(days, fc.constantFrom('/', '.', '-'), fc.boolean(), (day, separator, isFirst) => {
        const [d, m, y] = [day.getUTCDate(), day.getUTCMonth() + 1, day.getUTCFullYear()]
        const text = (isFirst ? [d, m, y] : [m, d, y]).join(separator)
        const { problem } = reader.read(text) as { problem: string }
        const formats = [...problem.matchAll(/--dates '([^']+)'/g)].map(([, format]) => knownDates(format ?? ''))
        const expected = `${y}-${String(m).padStart(2, '0')}-${String(d).padStart(2, '0')}T00:00:00.000Z`
        expect(formats.map((format) => createTimeReader([format], 'UTC').read(text))).toContainEqual({ time: expected })
      }),
    )
  })
})

test.each(['', 'MM/dd', 'yyyy', 'hello', 'MM/dd/yyyy qq', "'x", 'D'])('%j is no format of a date', (format) => {
  expect(() => knownDates(format)).toThrow(/--dates .*write it as MM\/dd\/yyyy/)
})

test('a zone that does not exist is refused', () => {
  expect(() => knownZone('Berlin')).toThrow('"Berlin" is no time zone')
  expect(knownZone('Europe/Berlin')).toBe('Europe/Berlin')
})
