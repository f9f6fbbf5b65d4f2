import fc from 'fast-check'
import { expect, test } from 'vitest'
import { changeOf, compareSequenceNumbers, isBeyond, type StreamRecord } from './change.ts'

const Keys = { PK: { S: 'COMMENT#1' }, SK: { S: '~' } }
const [OldImage, NewImage] = [4, 5].map((rating) => ({ ...Keys, rating: { N: String(rating) } }))
const SequenceNumber = '111'

test('a record tells the change of its item', () => {
  expect(changeOf({ dynamodb: { Keys, OldImage, NewImage, SequenceNumber } })).toEqual({
    ...{ key: { PK: 'COMMENT#1', SK: '~' }, sequenceNumber: '111', at: 0 },
    ...{ before: OldImage, after: NewImage },
  })
  expect(changeOf({ dynamodb: { Keys, NewImage, SequenceNumber } })).toMatchObject({ before: undefined })
  expect(changeOf({ dynamodb: { Keys, OldImage, SequenceNumber } })).toMatchObject({ after: undefined })
})

test('the time is the same, whether GetRecords tells it or Lambda', () => {
  const at = Date.UTC(2024, 0, 1, 12, 30, 7)
  for (const ApproximateCreationDateTime of [new Date(at), at / 1000])
    expect(changeOf({ dynamodb: { Keys, NewImage, SequenceNumber, ApproximateCreationDateTime } })?.at).toBe(at)
})

test.each<[string, StreamRecord]>([
  ['without images', { dynamodb: { Keys, SequenceNumber } }],
  ['of equal images', { dynamodb: { Keys, OldImage, NewImage: structuredClone(OldImage), SequenceNumber } }],
  ['without a sequence number', { dynamodb: { Keys, OldImage, NewImage } }],
  ['without keys', { dynamodb: { OldImage, NewImage, SequenceNumber } }],
  ['without a partition key', { dynamodb: { Keys: { SK: Keys.SK }, OldImage, NewImage, SequenceNumber } }],
  ['without a sort key', { dynamodb: { Keys: { PK: Keys.PK }, OldImage, NewImage, SequenceNumber } }],
  ['with keys of another type', { dynamodb: { Keys: { PK: { N: '1' }, SK: { N: '1' } }, NewImage, SequenceNumber } }],
  ['of nothing', {}],
])('a record %s tells of no change', (_, record) => {
  expect(changeOf(record)).toBeUndefined()
})

test('sequence numbers compare as the whole numbers that they are', () => {
  const number = fc.oneof(fc.nat(30).map(BigInt), fc.bigInt({ min: 0n, max: 10n ** 40n }))
  fc.assert(
    fc.property(number, number, (a, b) => {
      const compared = compareSequenceNumbers(String(a), String(b))
      expect(Math.sign(compared)).toBe(a < b ? -1 : a > b ? 1 : 0)
    }),
  )
})

test('bytes are bytes, also of Lambda, which gives base64', () => {
  const image = {
    ...Keys,
    b: { B: 'AQI=' },
    l: { L: [{ BS: ['Aw=='] }] },
    m: { M: { inner: { B: new Uint8Array([4]) } } },
  }
  const { after } = changeOf({ dynamodb: { Keys, NewImage: image as never, SequenceNumber } }) ?? {}
  expect(after).toEqual({
    ...{ ...Keys, b: { B: new Uint8Array([1, 2]) }, l: { L: [{ BS: [new Uint8Array([3])] }] } },
    m: { M: { inner: { B: new Uint8Array([4]) } } },
  })
})

test('what is beyond a place comes after it, and all of a shard is beyond none', () => {
  const places = [undefined, '9', '10', '11']
  expect(places.map((place) => isBeyond('10', place))).toEqual([true, true, false, false])
})
