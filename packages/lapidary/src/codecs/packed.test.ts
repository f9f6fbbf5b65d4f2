import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { awkwardText } from 'lapidary-testing'
import { describe, expect, test } from 'vitest'
import { schemaOf } from '../../test/comments-fixture.ts'
import { defineCollection, type Item, lookup } from '../model/collection.ts'
import { createEntryCodec, type Entry, entryBytes } from '../model/entry.ts'
import { oneOf } from '../model/facet.ts'
import { deflated, packed } from './packed.ts'
import { trainDictionary } from './train-dictionary.ts'

const declared = {
  ...{ name: 'NOTE', schema: schemaOf<Item>(), id: 'id', order: 'at', version: 'version' },
  ...{ scope: { name: 'BOOK', attribute: 'book' }, facets: { language: oneOf() } },
} as const
const attributes = {
  ...{ id: 'i', book: 'b', at: 'c', language: 'l', version: 'v', text: 'x', title: 't', extra: 'e' },
  ...{ note: lookup('n') },
} as never
const plainNotes = defineCollection(declared)
const words = 'good and sharp but not so cheap as one would like it to be for this price '
const noteOf = (i: number, text: string): Item => ({
  ...{ id: String(i), book: '1', at: '2020-01-01T00:00:00.000Z', language: 'en', version: 1, title: `Note ${i}`, text },
})
const samples = Array.from({ length: 200 }, (_, i) => noteOf(i, words.slice(i % 30).repeat(2)))
const dictionary = trainDictionary(plainNotes, samples, { bytes: 2048 })

const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    awkwardText(),
    fc.constantFrom<unknown>(0, 1, -1, 0.1, -2.5, 1e21, 2 ** 53, 9007199254740993n, true, false, null),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e100, max: 1e100 }),
    fc.uint8Array({ maxLength: 5 }),
    fc
      .uniqueArray(
        awkwardText().filter((text) => text !== ''),
        { minLength: 1, maxLength: 3 },
      )
      .map((all) => new Set(all)),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(awkwardText(), fc.constantFrom('__proto__', 'constructor')), tie('value'), { maxKeys: 3 }),
  ),
})).value

const codecs = {
  packed: packed(),
  deflated: deflated({ dictionaries: [dictionary] }),
  'for reading only': packed({ readOnly: true }),
}

describe.each(Object.entries(codecs))('%s', (_, codec) => {
  test.each(['named', 'free'])('an item comes back as it would unpacked: attributes are %s', (kind) => {
    const given = kind === 'named' ? { ...declared, attributes } : declared
    const [plain, other] = [defineCollection(given), defineCollection({ ...given, codec })].map((one) =>
      createEntryCodec(one as never),
    )
    fc.assert(
      fc.property(fc.record({ text: awkwardText(), extra: value, note: value }), (rest) => {
        const item = { ...noteOf(1, ''), ...rest }
        let stored: Entry
        try {
          stored = plain?.toEntry(item) ?? {}
        } catch {
          return
        }
        const entry = other?.toEntry(item) ?? {}
        expect(other?.toItem(entry)).toEqual(plain?.toItem(stored))
        expect(entryBytes(entry)).toBeLessThanOrEqual(entryBytes(stored))
        // An item that was stored before there was a codec is still read.
        expect(other?.toItem(stored)).toEqual(plain?.toItem(stored))
      }),
      { numRuns: 300 },
    )
  })
})

test('what keys, filters and conditions are made of stays as it is, and so does what is declared plain', () => {
  const codec = deflated({ dictionaries: [dictionary], plain: ['title'] })
  const collection = defineCollection({ ...declared, attributes, codec })
  const entry = createEntryCodec(collection).toEntry({ ...noteOf(1, words), note: words, extra: words })
  expect(Object.keys(entry).sort()).toEqual(['b', 'c', 'i', 'l', 't', 'v', '~p', '~q'])
})

test('packing makes items of many numbers smaller, a dictionary those of texts; what would grow stays as it is', () => {
  const bytes = (codec: (typeof codecs)['packed'], rest: Item): number =>
    entryBytes(createEntryCodec(defineCollection({ ...declared, codec })).toEntry({ ...noteOf(7, 'x'), ...rest }))
  const { packed: cbor, deflated: small, 'for reading only': plain } = codecs
  const numbers = { points: Array.from({ length: 20 }, (_, i) => i) }
  expect(bytes(cbor, numbers)).toBeLessThan(0.8 * bytes(plain, numbers))
  const text = { text: words.repeat(3) }
  expect(bytes(small, text)).toBeLessThan(0.6 * bytes(plain, text))
  expect(bytes(cbor, text)).toBe(bytes(plain, text))
})

test('items of an older dictionary, and of none, are read as long as it is declared', () => {
  const older = codecs.deflated.pack({ text: words }) as Uint8Array
  const newer = new Uint8Array(Buffer.from(words.repeat(2)))
  const both = deflated({ dictionaries: [newer, dictionary] })
  expect(both.unpack(older)).toEqual({ text: words })
  expect(both.unpack(codecs.packed.pack({ text: words }) as Uint8Array)).toEqual({ text: words })
  expect(both.describe(both.pack({ text: words }) as Uint8Array)).not.toBe(both.describe(older))
})

describe('what is missing is said', () => {
  const read = (codec: undefined | (typeof codecs)['packed'], bytes: Uint8Array) => () =>
    createEntryCodec(defineCollection({ ...declared, ...(codec === undefined ? {} : { codec }) })).toItem({
      ...{ PK: { S: 'NOTE#77' }, SK: { S: '~' }, id: { S: '77' } },
      '~p': { B: bytes },
    })
  const bytes = codecs.deflated.pack({ text: words }) as Uint8Array

  test('an item of a dictionary that is not declared names itself and the dictionary', () => {
    const name = /dictionary ([0-9a-f]{8})/.exec(codecs.deflated.describe(bytes))?.[1]
    expect(read(codecs.packed, bytes)).toThrow(
      expect.objectContaining({
        code: 'table_mismatch',
        message: expect.stringMatching(new RegExp(`NOTE "77" can't be read.*dictionary ${name}, and none is declared`)),
      }),
    )
  })

  test('an item of a codec where none is declared', () => {
    expect(read(undefined, bytes)).toThrow(/NOTE "77" were stored by a codec/)
  })

  test('bytes that are damaged, or of a later form', () => {
    expect(read(codecs.packed, new Uint8Array([1, 255]))).toThrow(/damaged/)
    expect(read(codecs.packed, new Uint8Array([9, 1]))).toThrow(/does not know \(9\); update the library/)
    expect(read(codecs.deflated, new Uint8Array([...bytes.subarray(0, 5), ...randomBytes(20)]))).toThrow(/damaged/)
    expect(read(codecs.deflated, new Uint8Array())).toThrow(/no bytes/)
  })

  test('no dictionary, an empty one and a file that is not there are refused at declaration', () => {
    expect(() => deflated({ dictionaries: [] })).toThrow(/train one \(lapidary train-dictionary FILE\)/)
    expect(() => deflated({ dictionaries: [new Uint8Array()] })).toThrow(/has 0 bytes/)
    expect(() => deflated({ dictionaries: ['/nowhere/notes.dict'] })).toThrow(
      expect.objectContaining({
        code: 'declaration_invalid',
        message: expect.stringMatching(/no dictionary .*train-dictionary/),
      }),
    )
  })

  test('a dictionary of items in which nothing repeats', () => {
    const noise = Array.from({ length: 3 }, (_, i) => ({
      ...noteOf(i, randomBytes(200).toString('base64')),
      title: `${i}`,
    }))
    const alone = noise.slice(0, 1)
    expect(() => trainDictionary(plainNotes, alone)).toThrow(/nothing repeats in 1 items/)
    expect(() => trainDictionary(plainNotes, noise, { bytes: 70_000 })).toThrow(/70000 bytes/)
  })
})

test('what is summed, and what boards are by, stays as it is', () => {
  const summed = { sums: ['price'], leaderboards: { best: { sum: 'worth' }, liked: { average: 'stars' } } }
  const item = { ...noteOf(1, words.repeat(3)), price: 12, worth: 3, stars: 5, pages: 100, weight: 7 }
  const collection = defineCollection({ ...declared, ...summed, codec: codecs.deflated })
  const entry = createEntryCodec(collection).toEntry(item)
  expect(Object.keys(entry)).toEqual(expect.arrayContaining(['price', 'worth', 'stars', '~p']))
  expect(entry).not.toHaveProperty('pages')
})
