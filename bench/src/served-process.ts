import { once } from 'node:events'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { comments } from 'comments/comment'
import { createLapidary, segments } from 'lapidary'
import { openEngine } from 'lapidary-engine'
import { byTokens } from 'lapidary-http'
import { budgetedClient, createMetrics, observeCapacity } from 'lapidary-http/internal'
import { createApi, createHttpServer, startDerivedData } from 'lapidary-http/internal/server'
import { pino } from 'pino'

/** The API of any collection, of the comments here, in a process of its own, as `lapidary serve` has it. */

const { DATA_DIR, TABLE_NAME = 'comments', ADMIN_TOKEN = '' } = process.env
const engine = await openEngine({ dataDir: DATA_DIR })
const client = new DynamoDBClient(engine.clientConfig)
const metrics = createMetrics()
observeCapacity(client, metrics.observeCapacity)
const lapidary = createLapidary({
  ...{ client: budgetedClient(client), tableName: TABLE_NAME, collections: { comments } },
  cursorSecret: 'a secret of the bench',
  derived: { counts: true, pages: segments() },
  stream: { immediate: true },
})
await lapidary.table.create()
const logger = pino({ level: 'silent' })
const poller = await startDerivedData({ database: lapidary }, logger)
const api = createApi(lapidary, { authorize: byTokens({ admin: ADMIN_TOKEN }), logger, metrics })
const server = createHttpServer()
process.send?.({ address: `http://127.0.0.1:${await server.listen(api.fetch, { host: '127.0.0.1', port: 0 })}` })
process.on('message', () => process.send?.({ cpu: process.cpuUsage() }))
await once(process, 'disconnect')
await server.drain()
await poller.close()
client.destroy()
await engine.close()
process.exit(0)
