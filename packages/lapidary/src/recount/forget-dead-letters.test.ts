import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { memoryItems } from '../../test/memory-items/memory-items.ts'
import type { Change } from '../derived/change.ts'
import type { CopyProjection, CopySource } from '../derived/copy-projection.ts'
import { keyEntry } from '../derived/guarded-write.ts'
import { LapidaryError } from '../model/errors.ts'
import { type DeadLetter, deadLetterWrite, listDeadLetters } from '../stream/dead-letters.ts'
import { forgetDeadLetters } from './forget-dead-letters.ts'

const key = { PK: 'X#1', SK: '~' }
const letter = (sequenceNumber: string, ...refusedBy: string[]): DeadLetter => ({
  ...{ key, shardId: 's', sequenceNumber, at: 5, reason: 'odd', refusedBy },
})

/** A copy that notes what it is given. */
function copy(name: string, apply: (given: Change) => Promise<void> | void = () => {}) {
  const given: { readonly change: Change; readonly source: CopySource }[] = []
  const made: CopyProjection = {
    name,
    collection: 'X',
    isItem: ({ PK }) => PK.startsWith('X#'),
    async apply(changes, source) {
      for (const change of changes) {
        given.push({ change, source })
        await apply(change)
      }
    },
  }
  return { made, given }
}

async function tableWith(...letters: DeadLetter[]) {
  const items = memoryItems()
  await items.send(
    new TransactWriteItemsCommand({ TransactItems: letters.map((each) => deadLetterWrite(items, each)) }),
  )
  items.put({ ...keyEntry(key), v: { S: 'now' } })
  const left = async () => (await listDeadLetters(items)).map(({ sequenceNumber }) => sequenceNumber)
  return { items, left }
}

test('what was left out of the counts alone is forgotten, and a copy that took it is not asked', async () => {
  const letters = [letter('1'), letter('2')]
  const { items, left } = await tableWith(...letters, letter('3'))
  const cache = copy('cache')
  expect(await forgetDeadLetters(items, [cache.made], letters)).toBe(2)
  expect([await left(), cache.given]).toEqual([['3'], []])
})

test('a copy that refused a change is given the item as it is now, and no other copy is', async () => {
  const letters = [letter('1', 'cache')]
  const { items, left } = await tableWith(...letters)
  const [cache, other] = [copy('cache'), copy('other')]
  expect(await forgetDeadLetters(items, [cache.made, other.made], letters)).toBe(1)
  expect(cache.given).toEqual([
    {
      change: { key, sequenceNumber: '1', at: 5, before: undefined, after: { ...keyEntry(key), v: { S: 'now' } } },
      source: { shardId: undefined },
    },
  ])
  expect([await left(), other.given]).toEqual([[], []])
})

test('a letter stays as long as a copy refuses, and the next ones are made good', async () => {
  const letters = [letter('1', 'cache'), letter('2', 'other')]
  const { items, left } = await tableWith(...letters)
  const cache = copy('cache', () => {
    throw new LapidaryError('unprocessable', 'no')
  })
  expect(await forgetDeadLetters(items, [cache.made, copy('other').made], letters)).toBe(1)
  expect(await left()).toEqual(['1'])
})

test('a copy that is away fails the repair', async () => {
  const letters = [letter('1', 'cache')]
  const { items, left } = await tableWith(...letters)
  const cache = copy('cache', () => {
    throw new LapidaryError('unavailable', 'away')
  })
  await expect(forgetDeadLetters(items, [cache.made], letters)).rejects.toThrow('away')
  expect(await left()).toEqual(['1'])
})

test('an item that changes while it is copied is copied again, ten times at most', async () => {
  for (const [changes, isForgotten] of [
    [9, true],
    [10, false],
  ] as const) {
    const letters = [letter('1', 'cache')]
    const { items, left } = await tableWith(...letters)
    let made = 0
    const cache = copy('cache', () => {
      if (made++ < changes) items.put({ ...keyEntry(key), v: { S: `changed ${made}` } })
    })
    expect(await forgetDeadLetters(items, [cache.made], letters)).toBe(isForgotten ? 1 : 0)
    expect(await left()).toEqual(isForgotten ? [] : ['1'])
    expect(cache.given).toHaveLength(10)
    expect(cache.given.at(-1)?.change.after?.v?.S).toBe('changed 9')
  }
})
