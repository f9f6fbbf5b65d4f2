import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MemberTable } from './member-table.ts'

const MEMBERS = Array.from({ length: 40 }, (_, i) => `member ${i}`)
/** Few, so that many members share one and the last slot is taken early; zero is what a free slot has. */
const HASHES = [0, 5, 7, 2 ** 32 - 1] as const

const hashOf = (member: string): number => HASHES[Number(member.slice(7)) % HASHES.length] as number

test('has what a Map has, after any changes', () => {
  const steps = fc.array(fc.record({ member: fc.constantFrom(...MEMBERS), isDeleted: fc.boolean() }), {
    maxLength: 200,
    size: 'max',
  })
  fc.assert(
    fc.property(steps, (changes) => {
      const table = new MemberTable<{ readonly member: string; readonly at: number }>()
      const twin = new Map<string, number>()
      for (const [at, { member, isDeleted }] of changes.entries()) {
        if (isDeleted) table.delete(member, hashOf(member))
        else table.set({ member, at }, hashOf(member))
        if (isDeleted) twin.delete(member)
        else twin.set(member, at)
        const wrong = MEMBERS.filter((one) => table.get(one, hashOf(one))?.at !== twin.get(one))
        expect(wrong).toEqual([])
      }
      expect(new Map(Array.from(table, ({ member, at }) => [member, at]))).toEqual(twin)
    }),
    { numRuns: 100 },
  )
})
