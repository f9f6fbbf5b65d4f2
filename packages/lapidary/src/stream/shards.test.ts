import { expect, test } from 'vitest'
import type { TableClient } from '../table/table-client.ts'
import { streamArn } from './shards.ts'

const arnOf = (Table: object | undefined) =>
  streamArn({ tableName: 'things', send: async () => ({ Table }) } as unknown as TableClient)
const enabled = (StreamViewType?: string) => ({
  LatestStreamArn: 'arn',
  StreamSpecification: { StreamEnabled: true, ...(StreamViewType === undefined ? {} : { StreamViewType }) },
})

test('a table with a change stream of both images has its ARN, also where the engine does not tell of images', async () => {
  expect(await arnOf(enabled('NEW_AND_OLD_IMAGES'))).toBe('arn')
  expect(await arnOf(enabled())).toBe('arn')
  expect(await arnOf({ LatestStreamArn: 'arn' })).toBe('arn')
})

test.each<[string, object | undefined, string]>([
  ['that is not there', undefined, 'the table things has no change stream; enable one with NEW_AND_OLD_IMAGES'],
  ['without one', {}, 'has no change stream'],
  ['that had one', { LatestStreamArn: 'arn', StreamSpecification: { StreamEnabled: false } }, 'has no change stream'],
  ['with keys only', enabled('KEYS_ONLY'), 'the change stream of things has KEYS_ONLY; counts need NEW_AND_OLD_IMAGES'],
])('a table %s is refused, and says what to do', async (_, table, message) => {
  await expect(arnOf(table)).rejects.toMatchObject({
    code: 'table_mismatch',
    message: expect.stringContaining(message),
  })
})
