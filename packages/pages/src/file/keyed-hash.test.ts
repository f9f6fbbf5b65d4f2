import { expect, test } from 'vitest'
import { keyedHash } from './keyed-hash.ts'

/** The first vectors of the reference implementation: messages 00 01 02 … under the key 00 01 … 07. */
const VECTORS = ['a9359f5b', '27475ab8', 'fa62a603', '8afee704', '2a6e4689', 'c5fab669', '5863fc23', '8bcf63c5']

test('is HalfSipHash-2-4', () => {
  const key = { low: 0x03020100, high: 0x07060504 }
  const hashes = VECTORS.map((_, length) => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32LE(keyedHash(key, String.fromCharCode(...Array.from({ length }, (_, i) => i))))
    return bytes.toString('hex')
  })
  expect(hashes).toEqual(VECTORS)
})
