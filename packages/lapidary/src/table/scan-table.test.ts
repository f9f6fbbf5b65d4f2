import { DescribeTableCommand, type ScanCommand, type ScanCommandInput } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { createCapacityBudget } from './capacity-budget.ts'
import { scanTable } from './scan-table.ts'
import type { TableClient } from './table-client.ts'

test.each([
  [1, 'eu-central-1', [undefined]],
  [2, 'eu-central-1', ['0 of 2', '1 of 2']],
  [2, undefined, ['0 of 2', '1 of 2']],
  [2, 'dynoxide', [undefined]],
])('in %i parts in the region %s asks for %j', async (segments, region, expected) => {
  const asked: ScanCommandInput[] = []
  const table = {
    tableName: 'reviews',
    async send(command: ScanCommand | DescribeTableCommand) {
      if (command instanceof DescribeTableCommand) {
        if (region === undefined) throw new Error('refused')
        return { Table: { TableArn: `arn:aws:dynamodb:${region}:000000000000:table/reviews` } }
      }
      asked.push(command.input as ScanCommandInput)
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
  expect(items).toBe(expected.length)
  expect(
    asked.map(({ Segment, TotalSegments }) =>
      TotalSegments === undefined ? undefined : `${Segment} of ${TotalSegments}`,
    ),
  ).toEqual(expected)
})
