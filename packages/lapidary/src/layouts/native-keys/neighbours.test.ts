import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareBytes } from '../../model/key-text.ts'
import { nextAbove, nextBelow } from './neighbours.ts'

const points = [
  '\0',
  'a',
  '\u007f',
  '\u0080',
  '\u07ff',
  '\u0800',
  '\ud7ff',
  '\ue000',
  '\uffff',
  '\u{10000}',
  '\u{10FFFF}',
]
const end = fc.array(fc.constantFrom(...points), { maxLength: 4 }).map((some) => some.join(''))
/** Texts of about as many bytes as a key may have, alike but for their ends. */
const text = fc
  .record({ end, room: fc.integer({ min: 0, max: 6 }) })
  .map(({ end: tail, room }) => 'x'.repeat(1024 - Buffer.byteLength(tail) - room) + tail)

test('no key is between a text as long as keys may be and its neighbours, and both may be keys', () => {
  fc.assert(
    fc.property(text, text, (given, other) => {
      const [below, above] = [String(nextBelow(given)), String(nextAbove(given))]
      expect(compareBytes(below, given)).toBeLessThan(0)
      expect(compareBytes(above, given)).toBeGreaterThan(0)
      expect(Math.max(...[below, above].map((each) => Buffer.byteLength(each)))).toBeLessThanOrEqual(1024)
      const order = Math.sign(compareBytes(other, given))
      expect(Math.sign(compareBytes(other, below)), 'below').toBe(other === below ? 0 : order < 0 ? -1 : 1)
      expect(Math.sign(compareBytes(other, above)), 'above').toBe(other === above ? 0 : order > 0 ? 1 : -1)
    }),
    { numRuns: 2000 },
  )
})
