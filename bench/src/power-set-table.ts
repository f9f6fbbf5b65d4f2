import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { createLapidary, type Layout } from 'lapidary'
import { openEngine } from 'lapidary-engine'
import { comments } from './comments.ts'

/** The benches' comments by some layout, on an engine of its own in memory. */
export interface PowerSetTable extends AsyncDisposable {
  readonly client: DynamoDBClient
  readonly lapidary: ReturnType<typeof connect>
}

function connect(client: DynamoDBClient, layout: Layout) {
  const collections = { comments }
  return createLapidary({
    ...{ client, tableName: 'comments', collections, layout, cursorSecret: 'a secret that only the bench knows' },
    ...{ stream: { immediate: true }, derived: { counts: true } },
  })
}

export async function openPowerSetTable(layout: Layout): Promise<PowerSetTable> {
  const engine = await openEngine()
  const client = new DynamoDBClient(engine.clientConfig)
  const lapidary = connect(client, layout)
  await lapidary.table.create()
  return {
    ...{ client, lapidary },
    async [Symbol.asyncDispose]() {
      client.destroy()
      await engine.close()
    },
  }
}
