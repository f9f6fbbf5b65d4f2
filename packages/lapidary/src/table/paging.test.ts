import type { QueryCommandInput } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { itemsOfPages, queryPages, scanPages, wholePartition } from './paging.ts'
import type { TableClient } from './table-client.ts'

/** A table of three items whose pages hold one, with an empty page between, and the commands that were sent. */
function threeItems() {
  const asked: QueryCommandInput[] = []
  const pages = [['a'], [], ['b'], ['c']].map((names) => names.map((name) => ({ PK: { S: name } })))
  const send = async ({ input }: { readonly input: QueryCommandInput }): Promise<unknown> => {
    asked.push(input)
    const at = Number(input.ExclusiveStartKey?.PK?.N ?? 0)
    const LastEvaluatedKey = at + 1 < pages.length ? { PK: { N: String(at + 1) } } : undefined
    return { Items: pages[at], LastEvaluatedKey }
  }
  return { asked, table: { tableName: 'things', send } as unknown as TableClient }
}

test('reads all pages, also past an empty one, each from where the last one ended', async () => {
  const { asked, table } = threeItems()
  const items = await itemsOfPages(queryPages(table, { ...wholePartition('p'), ConsistentRead: true }))
  expect(items.map(({ PK }) => PK?.S)).toEqual(['a', 'b', 'c'])
  expect(asked.map(({ ExclusiveStartKey }) => ExclusiveStartKey?.PK?.N)).toEqual([undefined, '1', '2', '3'])
  for (const input of asked) {
    expect(input).toMatchObject({ TableName: 'things', ConsistentRead: true, ReturnConsumedCapacity: 'TOTAL' })
  }
})

test('reads no page before it is asked for, and may ask anew for each', async () => {
  const { asked, table } = threeItems()
  let limit = 1
  for await (const _ of scanPages(table, () => ({ Limit: limit++ }))) {
    expect(asked).toHaveLength(limit - 1)
    if (limit === 3) break
  }
  expect(asked.map(({ Limit }) => Limit)).toEqual([1, 2])
})
