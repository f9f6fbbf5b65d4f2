import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Amounts, sumOf } from './amount.ts'
import { type Addition, netAdditions, type SumProjection } from './sum-projection.ts'
import { targetId } from './target-key.ts'

const projection = { name: 'sums' } as SumProjection
const amounts = fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'constructor'), fc.integer({ min: -2, max: 2 }))
/** Targets of which each is like another that a careless name would take for it. */
const target = fc.record({ PK: fc.constantFrom('x', 'x~', ''), SK: fc.constantFrom('~', '~~', 'x') })
const addition = fc.record({ target, amounts, at: fc.nat(5) }).map((made): Addition => ({ ...made, projection }))

const amountOf = (of: Amounts, name: string): number => (Object.hasOwn(of, name) ? Number(of[name] ?? 0) : 0)

test('a sum adds or takes away by name, and has no zeros', () => {
  fc.assert(
    fc.property(amounts, amounts, fc.constantFrom(1 as const, -1 as const), (a, b, times) => {
      const sum = sumOf(a, b, times)
      for (const name of ['a', 'b', '__proto__', 'constructor'])
        expect(amountOf(sum, name)).toBe(amountOf(a, name) + times * amountOf(b, name) + 0)
      expect(Object.values(sum)).not.toContain(0)
      expect(sumOf(a, b)).toEqual(sumOf(a, b, 1))
    }),
  )
})

test('additions are netted by target, with the time of the last of them', () => {
  fc.assert(
    fc.property(fc.array(addition, { maxLength: 12 }), (additions) => {
      const netted = netAdditions(additions)
      const ids = netted.map((one) => targetId(one.target))
      expect(new Set(ids).size).toBe(ids.length)
      for (const key of new Map(additions.map((one) => [JSON.stringify(one.target), one.target])).values()) {
        const own = additions.filter((one) => one.target.PK === key.PK && one.target.SK === key.SK)
        const total = own.reduce<Amounts>((sum, one) => sumOf(sum, one.amounts), {})
        const [net] = netted.filter((one) => one.target.PK === key.PK && one.target.SK === key.SK)
        if (Object.keys(total).length === 0) expect(net).toBeUndefined()
        else expect(net).toEqual({ ...own[0], amounts: total, at: Math.max(...own.map(({ at }) => at)) })
      }
    }),
    { numRuns: 200 },
  )
})
