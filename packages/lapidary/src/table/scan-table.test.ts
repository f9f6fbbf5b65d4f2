import type { ScanCommand, ScanCommandInput } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { createCapacityBudget } from './capacity-budget.ts'
import { scanTable } from './scan-table.ts'
import type { TableClient } from './table-client.ts'

test.each([
  [1, [undefined]],
  [2, ['0 of 2', '1 of 2']],
])('in %i parts asks for %j', async (segments, expected) => {
  const asked: ScanCommandInput[] = []
  const table = {
    tableName: 'reviews',
    async send({ input }: ScanCommand) {
      asked.push(input)
      return { Items: [{ PK: { S: 'a' } }] }
    },
  } as unknown as TableClient
  let items = 0
  await scanTable({
    table,
    budget: createCapacityBudget(Number.POSITIVE_INFINITY, () => 0),
    segments,
    signal: undefined,
    onPage: (entries) => {
      items += entries.length
    },
  })
  expect(items).toBe(segments)
  expect(
    asked.map(({ Segment, TotalSegments }) =>
      TotalSegments === undefined ? undefined : `${Segment} of ${TotalSegments}`,
    ),
  ).toEqual(expected)
})
