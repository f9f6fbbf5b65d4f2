// A user's program that only lists.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { createLapidary } from 'lapidary'
import { comments } from './comments.ts'

const [endpoint = '', tableName = ''] = process.argv.slice(2)
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
const client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials })
const lapidary = createLapidary({
  client,
  tableName,
  collections: { comments },
  cursorSecret: 'at least sixteen characters',
})

const page = await lapidary.comments.list({ scope: '42', where: { rating: [4, 5] } })
console.log(JSON.stringify({ ids: page.items.map(({ id }) => id) }))
client.destroy()
