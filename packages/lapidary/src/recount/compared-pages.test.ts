import { expect, test } from 'vitest'
import type { PageIndex } from '../pages/page-index.ts'
import { type ComparedPages, type Comparing, together, unverified } from './compared-pages.ts'

test('a page index that was not compared is told by its collection, label and store', () => {
  const lists = { name: 'redis' }
  expect(unverified({ name: 'COMMENT' }, { lists } as PageIndex, 'absent')).toEqual({
    ...{ collection: 'COMMENT', store: 'redis', reason: 'absent' },
  })
  expect(unverified({ name: 'COMMENT' }, { lists, label: 'by amount' } as PageIndex, 'sample')).toEqual({
    ...{ collection: 'COMMENT', label: 'by amount', store: 'redis', reason: 'sample' },
  })
})

test('several are told of everything, one after the other, and what they mended is added up', async () => {
  const told: unknown[] = []
  const one = (name: string, mended: number): ComparedPages => ({
    notVerified: [{ collection: name, store: 's', reason: 'full' }],
    begin: async () => void told.push([name, 'begin']),
    see: (entry) => void told.push([name, entry]),
    logged: (...given) => void told.push([name, ...given]),
    async compare(...given) {
      told.push([name, ...given])
      return mended
    },
  })
  const all = together([one('a', 2), one('b', 3)])
  const [entry, change, inspection, how] = [{}, { sequenceNumber: '1' } as never, {} as Comparing, { mends: true }]
  expect(all.notVerified.map(({ collection }) => collection)).toEqual(['a', 'b'])
  await all.begin()
  all.see(entry)
  all.logged(change, 's')
  expect(await all.compare(inspection, how)).toBe(5)
  const both = (...given: unknown[]) => ['a', 'b'].map((name) => [name, ...given])
  expect(told).toEqual([...both('begin'), ...both(entry), ...both(change, 's'), ...both(inspection, how)])
})
