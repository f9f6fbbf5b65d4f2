import { expect, test } from 'vitest'
import { countedTable } from '../../../test/memory-items/counted-table.ts'
import { verifySince } from './verify-since.ts'

test('is stopped while it reads what changed, as everything else is', async () => {
  const { derived, write, count } = countedTable()
  await write('1', 'q')
  await count()
  const changed = { collections: [], duplicates: [] }
  const options = { idleMs: 1, signal: AbortSignal.abort() }
  await expect(verifySince(derived, changed, options, 0)).rejects.toMatchObject({ code: 'aborted' })
})
