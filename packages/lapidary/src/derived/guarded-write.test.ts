import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { describe, expect, test } from 'vitest'
import { memoryItems } from '../../test/memory-items/memory-items.ts'
import type { Entry } from '../model/entry.ts'
import { guardedWrite, REVISION } from './guarded-write.ts'

const key = { PK: '~counts#COMMENT#42', SK: 'en' }
const stored = (count: number, rev?: string): Entry => ({
  ...{ PK: { S: key.PK }, SK: { S: key.SK }, count: { N: String(count) } },
  ...(rev === undefined ? {} : { [REVISION]: { S: rev } }),
})

/** Runs one write on what is there as DynamoDB does; undefined where its condition refuses. */
function run(held: Entry | undefined, before: Entry | undefined, after: Entry | undefined): Entry | 'gone' | undefined {
  const { Put, Delete } = guardedWrite('comments', key, before, after)
  const { ConditionExpression = '', ExpressionAttributeNames: names = {}, ...rest } = Put ?? Delete ?? expect.fail()
  expect(rest.TableName).toBe('comments')
  const nameOf = (name: string): string => names[name] ?? name
  const holds = ConditionExpression.split(' AND ').every((clause) => {
    const [, isNot, asked] = /^attribute_(not_)?exists\((.+)\)$/.exec(clause) ?? []
    if (asked !== undefined) return (held?.[nameOf(asked)] === undefined) === (isNot !== undefined)
    const [name = '', value = ''] = clause.split(' = ')
    return held !== undefined && held[nameOf(name)]?.S === rest.ExpressionAttributeValues?.[value]?.S
  })
  if (!holds) return undefined
  if (Delete === undefined) return Put?.Item
  expect(Delete.Key).toEqual({ PK: { S: key.PK }, SK: { S: key.SK } })
  return 'gone'
}

const states = [undefined, stored(1), stored(1, 'a'), stored(1, 'b')]
const nameOf = (state: Entry | undefined): string => state?.[REVISION]?.S ?? (state === undefined ? 'none' : 'by hand')

describe.each(states.map((before) => [nameOf(before), before] as const))('where %s was read', (_, before) => {
  test.each(states.map((held) => [nameOf(held), held] as const))('and %s is there', (_, held) => {
    const is = nameOf(held) === nameOf(before)
    expect(run(held, before, undefined)).toBe(is ? 'gone' : undefined)
    const written = run(held, before, { count: { N: '2' } })
    const { [REVISION]: revision, ...rest } = written === 'gone' ? expect.fail() : (written ?? {})
    expect(rest).toEqual(is ? { PK: { S: key.PK }, SK: { S: key.SK }, count: { N: '2' } } : {})
    expect(revision).toEqual(is ? { S: expect.stringMatching(/^[\w-]{16}$/) } : undefined)
  })
})

test('each write has a name of its own, also when it writes the same', () => {
  const names = Array.from({ length: 20 }, () => guardedWrite('t', key, undefined, { count: { N: '1' } }).Put?.Item)
  expect(new Set(names.map((item) => item?.[REVISION]?.S)).size).toBe(20)
})

test('an item that was put there by hand, without a name, is replaced once and then has one', async () => {
  const items = memoryItems({ tableName: 'counts' })
  items.put(stored(1))
  const write = () => {
    const TransactItems = [guardedWrite('counts', key, stored(1), { count: { N: '2' } })]
    return items.send(new TransactWriteItemsCommand({ TransactItems }))
  }
  await write()
  expect(items.get(key)).toMatchObject({ count: { N: '2' }, [REVISION]: { S: expect.any(String) } })
  await expect(write()).rejects.toMatchObject({ name: 'TransactionCanceledException' })
})
