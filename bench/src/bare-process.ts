import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import { openEngine } from 'lapidary-engine'

/** The program that the comments application is compared with: one Query by the SDK, its items as JSON, and nothing else. */

const { DATA_DIR, TABLE_NAME } = process.env
const engine = await openEngine({ dataDir: DATA_DIR })
const client = new DynamoDBClient(engine.clientConfig)

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  const [, , productId] = pathname.split('/')
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: TABLE_NAME,
      IndexName: 'byLanguageAndRating',
      KeyConditionExpression: '#k = :k',
      ExpressionAttributeNames: { '#k': 'k.l.r' },
      ExpressionAttributeValues: {
        ':k': { S: `COMMENT/${productId}/${searchParams.get('language')}/${searchParams.get('rating')}` },
      },
      ScanIndexForward: false,
      Limit: 21,
      ReturnConsumedCapacity: 'TOTAL',
    }),
  )
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ items: Items.slice(0, 20).map((item) => unmarshall(item)) }))
})
server.listen(0, '127.0.0.1', () => {
  process.send?.({ address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
})
process.on('message', () => process.send?.({ cpu: process.cpuUsage() }))
await once(process, 'disconnect')
await engine.close()
process.exit(0)
