import { expect, test } from 'vitest'
import { readEntry } from './read-entries.ts'

test('an entry is read consistently: checkpoints, leases and the fence stand on it', async () => {
  const sent: object[] = []
  const send = async ({ input }: { readonly input: object }) => {
    sent.push(input)
    return { Item: { PK: { S: 'x' } } }
  }
  const key = { PK: { S: 'x' }, SK: { S: '~' } }
  expect(await readEntry({ tableName: 't', send } as never, key)).toEqual({ PK: { S: 'x' } })
  expect(sent).toEqual([{ TableName: 't', Key: key, ConsistentRead: true }])
})
