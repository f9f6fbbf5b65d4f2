import { DynamoDBClient, GetItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb'
import { clientConfig, openEngine } from 'lapidary-engine'
import { startBare } from './bare-dynoxide.ts'
import type { BenchContext } from './bench.ts'
import { type Comment, generateComments } from './comments.ts'
import { median, rounded, timed } from './measure.ts'
import type { Report } from './report.ts'
import { createCommentsTable, entryOf, storeComments, TABLE_NAME } from './stored-comments.ts'

const IN_FLIGHT = [1, 16]

/** Measures the way in to the embedded engine: requests a second through it over those straight to dynoxide, in turns. */
export async function guard({ random, quick }: BenchContext): Promise<Report> {
  await using engine = await openEngine()
  await using bare = await startBare({ inMemory: false })
  const clients = [new DynamoDBClient(engine.clientConfig), new DynamoDBClient(clientConfig(bare.endpoint))] as const
  const comments = generateComments(quick ? 200 : 2_000, random)
  for (const client of clients) {
    await createCommentsTable(client)
    await storeComments(client, comments.map(entryOf))
  }
  const requests = { 'GetItem of 500 bytes': getItem, 'Query of 20 comments': query }
  const turns = quick ? 4 : 10
  const rows: (string | number)[][] = []
  for (const [name, request] of Object.entries(requests)) {
    for (const inFlight of IN_FLIGHT) {
      const rates: [number[], number[]] = [[], []]
      for (let turn = 0; turn < turns; turn++) {
        for (const way of turn % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
          const count = quick ? 50 : 500
          const send = (i: number): Promise<unknown> => request(clients[way], pick(comments, i))
          const { ms } = await timed(() => abreast(inFlight, count, send))
          rates[way].push((count / ms) * 1000)
        }
      }
      const ratios = rates[0].map((rate, i) => rate / (rates[1][i] ?? Number.NaN))
      rows.push([
        name,
        inFlight,
        rounded(median(rates[0]), 0),
        rounded(median(rates[1]), 0),
        rounded(median(ratios), 2),
      ])
    }
  }
  for (const client of clients) client.destroy()
  const title = 'Requests a second of the SDK through the embedded engine, and straight to dynoxide'
  const columns = ['request', 'in flight', 'embedded engine', 'dynoxide', 'ratio']
  return { tables: [{ title, columns, rows }], targets: [], figures: { rows } }
}

const pick = (comments: readonly Comment[], i: number): Comment => comments[i % comments.length] as Comment

function getItem(client: DynamoDBClient, comment: Comment): Promise<unknown> {
  const { PK, SK } = entryOf(comment)
  return client.send(new GetItemCommand({ TableName: TABLE_NAME, Key: { PK, SK } as never }))
}

function query(client: DynamoDBClient, comment: Comment): Promise<unknown> {
  return client.send(
    new QueryCommand({
      TableName: TABLE_NAME,
      IndexName: 'all',
      KeyConditionExpression: 'k = :k',
      ExpressionAttributeValues: { ':k': entryOf(comment).k as never },
      Limit: 20,
    }),
  )
}

async function abreast(lanes: number, count: number, send: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < count) await send(next++)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}
