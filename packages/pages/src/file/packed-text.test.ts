import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isPackable, packedBytes, readPacked, writePacked } from './packed-text.ts'

const text = fc
  .array(fc.constantFrom(...'-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz'), { maxLength: 254 })
  .map((characters) => characters.join(''))

test('a packed text is the same when it is read, in six bits a character, and leaves what is beside it', () => {
  fc.assert(
    fc.property(text, (text) => {
      expect(isPackable(text)).toBe(true)
      const room = packedBytes(text.length)
      expect(room).toBe(Math.ceil((text.length * 3) / 4))
      const bytes = Buffer.alloc(room + 2, 0xaa)
      writePacked(bytes, 1, text)
      expect(readPacked(bytes, 1, text.length)).toBe(text)
      expect([bytes[0], bytes[room + 1]]).toEqual([0xaa, 0xaa])
    }),
  )
})

test('a text with any other byte is not packed, nor one that is too long for its length to be told', () => {
  for (const other of ['.', '@', '[', '`', '{', '/', ':', ' ', '\0', '\xff'])
    expect(isPackable(`id${other}`)).toBe(false)
  expect(isPackable('a'.repeat(255))).toBe(false)
})
