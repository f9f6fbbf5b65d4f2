import fc from 'fast-check'
import { expect, test } from 'vitest'
import { orderOf } from './number-order.ts'

test('is that of a stable sort, of few numbers and of more than can be packed', () => {
  const number = fc.oneof(fc.nat({ max: 3 }), fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.constant(2 ** 32 - 1))
  fc.assert(
    fc.property(fc.array(number), (numbers) => {
      const sorted = numbers.map((_, i) => i).sort((a, b) => (numbers[a] ?? 0) - (numbers[b] ?? 0))
      expect(Array.from(orderOf(numbers))).toEqual(sorted)
    }),
  )
  const many = Uint32Array.from({ length: 2 ** 21 + 1 }, (_, i) => (i * 2_654_435_761) % 1_000)
  const order = orderOf(many)
  for (let i = 1; i < order.length; i++) {
    const [a, b] = [order[i - 1] as number, order[i] as number]
    const isRight = (many[a] as number) < (many[b] as number) || (many[a] === many[b] && a < b)
    if (!isRight) throw new Error(`${a} comes before ${b}`)
  }
})
