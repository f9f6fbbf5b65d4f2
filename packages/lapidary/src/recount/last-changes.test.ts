import { expect, test } from 'vitest'
import { memoryItems } from '../../test/memory-items/memory-items.ts'
import type { Change } from '../derived/change.ts'
import { keyEntry } from '../derived/guarded-write.ts'
import { checkpointKey } from '../stream/checkpoint.ts'
import { LastChanges } from './last-changes.ts'

const change = (PK: string, sequenceNumber: string): Change => ({
  ...{ key: { PK, SK: '~' }, sequenceNumber, at: 0, before: undefined, after: {} },
})

test('an item is taken in up to its last change, in whatever order changes are read again', async () => {
  const items = memoryItems()
  const last = new LastChanges()
  for (const sequenceNumber of ['9', '10', '9', '10']) last.note(change('a', sequenceNumber), 's')
  last.note(change('b', '12'), 's')
  last.note(change('c', '5'), 'new')
  last.note(change('d', '5'), 'over')
  items.put({ ...keyEntry(checkpointKey('s', 'files')), sequenceNumber: { S: '10' } })
  items.put({ ...keyEntry(checkpointKey('s')), sequenceNumber: { S: '9' } })
  items.put({ ...keyEntry(checkpointKey('over', 'files')), finished: { BOOL: true } })
  const byFiles = await last.takenIn({ ...items, follower: 'files' })
  expect(['a', 'b', 'c', 'd', 'unchanged'].map(byFiles)).toEqual([true, false, false, true, true])
  // All shards are asked for at once.
  expect(items.sent).toHaveLength(1)
  const byRunner = await last.takenIn(items)
  expect(['a', 'd'].map(byRunner)).toEqual([false, false])
  last.note(change('a', '11'), 's')
  last.note(change('e', '1'), 'read later')
  expect(['a', 'e'].map(byFiles)).toEqual([false, false])
})
