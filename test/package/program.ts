// A user's program: it is compiled and run with what npm installs, and prints its results as one line of JSON.
import { setTimeout as sleep } from 'node:timers/promises'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { createLapidary, LapidaryError } from 'lapidary'
import { cloudFormationTemplate } from 'lapidary/schema'
import { exportItems } from 'lapidary/transfer'
import { createOracle } from 'lapidary-testing'
import { comments } from './comments.ts'

const [endpoint = '', tableName = ''] = process.argv.slice(2)
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
const client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials })
const lapidary = createLapidary({
  client,
  tableName,
  collections: { comments },
  cursorSecret: 'at least sixteen characters',
  derived: { counts: true },
  stream: { immediate: true },
})

const created = await lapidary.table.create()
const ids = ['100001', '100002', '100003', '100004', '100005']
for (const [i, id] of ids.entries()) {
  const createdAt = `2020-11-09T12:00:0${i}.000Z`
  await lapidary.comments.create({ id, productId: '42', language: 'en', rating: i + 1, text: 'Good.', createdAt })
}
await lapidary.comments.patch('100001', { rating: 5 })

const query = { scope: '42', where: { language: 'en', rating: [1, 3, 5] }, limit: 2 } as const
const first = await lapidary.comments.list(query)
const second = await lapidary.comments.list({ ...query, cursor: first.cursors.next ?? '' })
const listed = [...first.items, ...second.items].map(({ id }) => id)

// The compiler and the library refuse a value outside the declaration.
// @ts-expect-error
const refused = await lapidary.comments.list({ scope: '42', where: { rating: 6 } }).catch((error: unknown) => error)
const code = refused instanceof LapidaryError ? refused.code : 'none'

let total: number | null = 0
{
  await using _poller = await lapidary.stream.start()
  while (total === null || total < ids.length) {
    await sleep(100)
    total = (await lapidary.comments.count({ scope: '42', where: { language: 'en' } })).total
  }
}

let exported = 0
for await (const items of exportItems(lapidary.comments)) exported += items.length
const resources = Object.keys(cloudFormationTemplate(lapidary.table.definition()).Resources)
const oracle = createOracle(comments)
for (const item of [...first.items, ...second.items]) oracle.put(item)
const expected = oracle.matching({ ...query, where: { ...query.where } }).map(({ id }) => id)

console.log(JSON.stringify({ created, listed, next: second.cursors.next, code, total, exported, resources, expected }))
client.destroy()
