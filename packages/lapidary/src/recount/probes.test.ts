import { expect, test } from 'vitest'
import { memoryItems } from '../../test/memory-items/memory-items.ts'
import type { Change } from '../derived/change.ts'
import type { Entry } from '../model/entry.ts'
import { createProbes, type Probes } from './probes.ts'

const NOW = 1_700_000_000_900

function probing(before: (command: object) => unknown = () => undefined) {
  const items = memoryItems({ before })
  const probes = createProbes(items, items, () => NOW)
  const changes = (): Change[] => items.entries.map((entry) => changeOf(entry))
  return { items, probes, changes }
}
const changeOf = (after: Entry): Change => ({
  ...{ key: { PK: after.PK?.S ?? '', SK: after.SK?.S ?? '' }, sequenceNumber: '1', at: 0, before: undefined },
  after,
})
const unseen = (probes: Probes): number[] => [1, 2].map((look) => probes.unseen(look))

test('probes are items of keys of their own that DynamoDB removes in a day, whatever becomes of this process', async () => {
  const { items, probes } = probing()
  await probes.write(1, 3)
  expect(items.entries).toHaveLength(3)
  for (const entry of items.entries) {
    expect(entry).toEqual({
      PK: { S: expect.stringMatching(/^~PROBE#[\da-f-]{36}#[012]$/) },
      ...{ SK: { S: '~' }, look: { N: '1' }, ttl: { N: String(1_700_000_000 + 86_400) } },
    })
  }
  expect(new Set(items.entries.map(({ PK }) => PK?.S)).size).toBe(3)
  expect(items.sent[0]?.input).toMatchObject({ ReturnConsumedCapacity: 'TOTAL' })
  await probes[Symbol.asyncDispose]()
  expect(items.entries).toEqual([])
})

test('those of a look are unseen until the stream tells of each', async () => {
  const { probes, changes } = probing()
  expect(unseen(probes)).toEqual([0, 0])
  await probes.write(1, 2)
  await probes.write(2, 1)
  await probes.write(1, 1)
  expect(unseen(probes)).toEqual([3, 1])
  const [first, ...others] = changes()
  expect(first && probes.seen(first)).toBe(1)
  expect(first && probes.seen(first)).toBe(1)
  expect(unseen(probes)).toEqual([2, 1])
  expect(others.map((change) => probes.seen(change)).sort()).toEqual([1, 1, 2])
  expect(unseen(probes)).toEqual([0, 0])
})

test('what others write is no probe of these, nor is the removal of one', async () => {
  const { probes, changes } = probing()
  const other = probing()
  await probes.write(1, 1)
  await other.probes.write(1, 1)
  const [mine] = changes()
  const [theirs] = other.changes()
  expect(theirs && probes.seen(theirs)).toBeUndefined()
  expect(mine && probes.seen({ ...mine, before: mine.after, after: undefined })).toBeUndefined()
  expect(probes.seen(changeOf({ PK: { S: 'X#1' }, SK: { S: '~' }, look: { N: '1' } }))).toBeUndefined()
  expect(probes.unseen(1)).toBe(1)
})

test('one that the stream tells of before the table answers is seen', async () => {
  const early: Entry[] = []
  let probes: Probes | undefined
  const { items, probes: made } = probing((command) => {
    const { Item } = (command as { input: { Item?: Entry } }).input
    if (Item !== undefined) early.push(Item)
    if (Item !== undefined) probes?.seen(changeOf(Item))
  })
  probes = made
  await made.write(1, 2)
  expect([early.length, items.entries.length, made.unseen(1)]).toEqual([2, 2, 0])
})

test('one that may not have been written is not waited for, and where none may be it fails', async () => {
  let refused = 1
  const { items, probes } = probing((command) => {
    if (command.constructor.name === 'PutItemCommand' && refused-- > 0) throw new Error('away')
  })
  await probes.write(1, 3)
  expect([items.entries.length, probes.unseen(1)]).toEqual([2, 2])
  refused = 2
  await expect(probes.write(2, 2)).rejects.toThrow('away')
  refused = 0
  // Of what may have been written after all nothing is left, and what can't be removed keeps back nothing.
  await probes[Symbol.asyncDispose]()
  expect(items.entries).toEqual([])
  expect(items.sent.filter(({ name }) => name === 'DeleteItem')).toHaveLength(5)
})

test('those that can not be removed are left', async () => {
  const { items, probes } = probing((command) => {
    if (command.constructor.name === 'DeleteItemCommand') throw new Error('away')
  })
  await probes.write(1, 2)
  await expect(probes[Symbol.asyncDispose]()).resolves.toBeUndefined()
  expect(items.entries).toHaveLength(2)
})
