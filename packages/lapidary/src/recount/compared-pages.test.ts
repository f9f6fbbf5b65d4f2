import { expect, test } from 'vitest'
import { countedTable, itemKey } from '../../test/memory-items/counted-table.ts'
import type { PageIndex } from '../pages/page-index.ts'
import { type ComparedPages, unverified } from './compared-pages.ts'
import { repair } from './mend.ts'

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
  const { derived, items, write } = countedTable()
  await write('1', 'q')
  const told: unknown[][] = []
  const one = (name: string, mended: number): ComparedPages => ({
    notVerified: [{ collection: name, store: 's', reason: 'full' }],
    begin: async () => void told.push([name, 'begin']),
    see: (entry) => void (entry.PK?.S === 'X#1' && told.push([name, entry])),
    logged: ({ key: { PK } }, shardId) => void (PK === 'X#1' && told.push([name, PK, shardId])),
    async compare(_, how) {
      told.push([name, how])
      return mended
    },
  })
  const compared = [one('a', 2), { see: () => {} }, one('b', 3)]
  const { mended, pagesNotVerified } = await repair(
    { ...derived, compared, projections: [] },
    { idleMs: 1, poll: false },
  )
  expect(mended).toBe(5)
  expect(pagesNotVerified.map(({ collection }) => collection)).toEqual(['a', 'b'])
  const both = (...given: unknown[]) => ['a', 'b'].map((name) => [name, ...given])
  const inOrder = [...both('begin'), ...both(items.get(itemKey('1'))), ...both({ mends: true })]
  expect(told).toEqual(expect.arrayContaining(both('X#1', 's')))
  expect(told.filter(([, second]) => second !== 'X#1')).toEqual(inOrder)
})
