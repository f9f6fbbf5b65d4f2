import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { clientConfig } from 'lapidary-engine'
import { seededRandom } from '../../src/model/seeded-random.ts'
import { startPoller } from '../../src/stream/poller.ts'
import { createRunner } from '../../src/stream/runner.ts'
import { createTableClient } from '../../src/table/table-client.ts'
import { reviewProjections } from './reviews.ts'
import { createWorkload } from './workload.ts'

// What a server does, without the server: it writes, and keeps the derived data in the same process.
const [endpoint = '', tableName = '', seed = '0', changes = '0'] = process.argv.slice(2)
const config = clientConfig(endpoint, {})
const client = new DynamoDBClient(config)
const streams = new DynamoDBStreamsClient(config)
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const table = createTableClient({ client, tableName, random: Math.random, sleep })
const runner = createRunner({ table, projections: reviewProjections() })
startPoller({ streams, runner, idleMs: 5, gatherMs: 20, leaseMs: 300, discoverMs: 100 })
const workload = createWorkload(client, tableName, seededRandom(Number(seed)), Number(changes))
process.send?.('ready')
while (await workload.write()) await sleep(2)
