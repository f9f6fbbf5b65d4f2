import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createGzip } from 'node:zlib'
import { type AttributeValue, DescribeTableCommand, DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb'
import { openEngine } from 'lapidary-engine'
import { dynoxideBinary } from '../bare-dynoxide.ts'

/** An item as DynamoDB has it. */
export type StoredItem = Readonly<Record<string, AttributeValue>>

/** A database that is filled by the engine's own import, from files as DynamoDB's export writes them: several times as fast as requests. */
export interface FilledDatabase extends AsyncDisposable {
  readonly client: DynamoDBClient
}

/**
 * Makes tables and their first items by real requests, then a database of the same tables, with those items and many more.
 *
 * @param prepare makes the tables, and says what else each is to hold.
 */
export async function fillDatabase(
  prepare: (client: DynamoDBClient) => Promise<ReadonlyMap<string, AsyncIterable<StoredItem>>>,
): Promise<FilledDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'lapidary-bench-'))
  const remove = (): void => rmSync(folder, { recursive: true })
  try {
    await writeExport(folder, prepare)
    const dataDir = join(folder, 'data')
    mkdirSync(dataDir)
    const files = ['--source', join(folder, 'export'), '--schema', join(folder, 'schema.json')]
    await promisify(execFile)(dynoxideBinary(), ['import', ...files, '--output', join(dataDir, 'dynamodb.sqlite')])
    rmSync(join(folder, 'export'), { recursive: true })
    const engine = await openEngine({ dataDir })
    const client = new DynamoDBClient(engine.clientConfig)
    return {
      client,
      async [Symbol.asyncDispose]() {
        client.destroy()
        await engine.close()
        remove()
      },
    }
  } catch (error) {
    remove()
    throw error
  }
}

async function writeExport(folder: string, prepare: Parameters<typeof fillDatabase>[0]): Promise<void> {
  await using engine = await openEngine()
  const client = new DynamoDBClient(engine.clientConfig)
  try {
    const tables = await prepare(client)
    const described: object[] = []
    for (const [TableName, items] of tables) {
      const { Table } = await client.send(new DescribeTableCommand({ TableName }))
      described.push({ Table })
      const file = join(folder, 'export', TableName, 'data')
      mkdirSync(file, { recursive: true })
      const lines = createGzip({ level: 1 })
      const written = once(lines.pipe(createWriteStream(join(file, 'items.json.gz'))), 'close')
      const write = async (Item: StoredItem): Promise<void> => {
        if (!lines.write(`${JSON.stringify({ Item })}\n`)) await once(lines, 'drain')
      }
      for await (const { Items = [] } of paginateScan({ client }, { TableName }))
        for (const item of Items) await write(item)
      for await (const item of items) await write(item)
      lines.end()
      await written
    }
    writeFileSync(join(folder, 'schema.json'), JSON.stringify(described))
  } finally {
    client.destroy()
  }
}
