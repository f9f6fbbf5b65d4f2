import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { memoryItems } from '../../test/memory-items/memory-items.ts'
import {
  countDeadLetters,
  DEAD_LETTER_PARTITION,
  type DeadLetter,
  deadLetterWrite,
  forgetDeadLetter,
  listDeadLetters,
} from './dead-letters.ts'

const letter = (given: Partial<DeadLetter> = {}): DeadLetter => ({
  key: { PK: 'REVIEW#1', SK: '~' },
  shardId: 'shard#1',
  sequenceNumber: '12',
  at: 1_700_000_000_000,
  reason: 'its rating is missing',
  refusedBy: ['pages', 'cache'],
  ...given,
})

async function tableWith(...letters: DeadLetter[]) {
  const items = memoryItems({ pageItems: 2 })
  const TransactItems = letters.map((each) => deadLetterWrite(items, each))
  if (letters.length > 0) await items.send(new TransactWriteItemsCommand({ TransactItems }))
  items.sent.length = 0
  return items
}

test('a dead letter is told as it was kept, one to a shard and sequence number, in their order', async () => {
  const letters = [letter(), letter({ sequenceNumber: '9', refusedBy: [] }), letter({ shardId: 'a' })]
  const items = await tableWith(...letters, letter({ sequenceNumber: '100' }))
  expect(await listDeadLetters(items)).toEqual([letters[2], letters[1], letters[0], letter({ sequenceNumber: '100' })])
  expect(items.sent).toHaveLength(2)
  expect(items.entries[0]).toMatchObject({
    PK: { S: '~DEADLETTER' },
    SK: { S: `a#${'0'.repeat(38)}12` },
    item: { M: { PK: { S: 'REVIEW#1' }, SK: { S: '~' } } },
    '~at': { N: '1700000000000' },
    reason: { S: 'its rating is missing' },
    refusedBy: { L: [{ S: 'pages' }, { S: 'cache' }] },
  })
})

test('a reason of any length is kept, as far as it says something', async () => {
  const items = await tableWith(letter({ reason: `${'x'.repeat(1_000)}y` }))
  expect((await listDeadLetters(items))[0]?.reason).toBe('x'.repeat(1_000))
})

test('they are counted by the page, and one that is forgotten is none', async () => {
  expect(await countDeadLetters(await tableWith())).toBe(0)
  const items = await tableWith(letter(), letter({ sequenceNumber: '13' }), letter({ sequenceNumber: '14' }))
  expect(await countDeadLetters(items)).toBe(2)
  expect(items.sent).toHaveLength(1)
  await forgetDeadLetter(items, letter({ sequenceNumber: '13' }))
  expect((await listDeadLetters(items)).map(({ sequenceNumber }) => sequenceNumber)).toEqual(['12', '14'])
})

test('what was spoilt by hand is told as far as it can be read', async () => {
  const items = await tableWith()
  items.put({ PK: { S: DEAD_LETTER_PARTITION }, SK: { S: 'odd' } })
  items.put({ PK: { S: DEAD_LETTER_PARTITION }, SK: { S: 'a#1' }, refusedBy: { L: [{ N: '1' }] }, item: { M: {} } })
  items.put({ PK: { S: DEAD_LETTER_PARTITION }, SK: { S: 'b#2' }, item: { S: 'x' }, reason: { N: '1' } })
  const nothing = { key: { PK: '', SK: '' }, at: 0, reason: '', refusedBy: [] }
  expect(await listDeadLetters(items)).toEqual([
    { ...nothing, shardId: 'a', sequenceNumber: '1', refusedBy: [''] },
    { ...nothing, shardId: 'b', sequenceNumber: '2' },
    { ...nothing, shardId: '', sequenceNumber: '' },
  ])
})
