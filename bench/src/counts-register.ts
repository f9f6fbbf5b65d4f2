import { type AttributeValue, DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb'
import { createLapidary } from 'lapidary'
import { openEngine } from 'lapidary-engine'
import { comments } from './comments.ts'
import { TABLE_NAME } from './stored-comments.ts'

type Entry = Record<string, AttributeValue>

const PARTITION = '~DERIVED'

/** The register of a table's counts, for tables that are put together by hand. */
export interface CountsRegister {
  /** The library's own items of a table whose comments are counted to the end. */
  readonly items: readonly Entry[]
  /** Returns the partition of a product's counts. */
  partition(productId: string): string
}

let made: Promise<CountsRegister> | undefined

/** The register of the benches' comments, as the library makes it. */
export function countsRegister(): Promise<CountsRegister> {
  made ??= makeRegister()
  return made
}

async function makeRegister(): Promise<CountsRegister> {
  const engine = await openEngine()
  const client = new DynamoDBClient(engine.clientConfig)
  try {
    const lapidary = createLapidary({
      ...{ client, tableName: TABLE_NAME, collections: { comments }, derived: { counts: true } },
      cursorSecret: 'a secret that only the bench knows',
    })
    await lapidary.table.create()
    return await readRegister(client)
  } finally {
    client.destroy()
    await engine.close()
  }
}

/** The register of a table with counts. */
export async function readRegister(client: DynamoDBClient): Promise<CountsRegister> {
  const { Items = [] } = await client.send(
    new QueryCommand({
      ...{ TableName: TABLE_NAME, ConsistentRead: true },
      KeyConditionExpression: 'PK = :register',
      ExpressionAttributeValues: { ':register': { S: PARTITION } },
    }),
  )
  const shapes = Items.flatMap(({ shapes }) => Object.values(shapes?.M ?? {}))
  const digest = shapes.find(({ M }) => M?.name?.S === 'counts')?.M?.digest?.S
  if (digest === undefined) throw new Error('the table has no counts')
  return {
    items: [...Items, { PK: { S: PARTITION }, SK: { S: 'counted' } }],
    partition: (productId) => `~counts.${digest}#COMMENT#${productId}`,
  }
}
