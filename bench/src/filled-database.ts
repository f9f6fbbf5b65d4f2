import { spawnSync } from 'node:child_process'
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { type AttributeValue, DescribeTableCommand, DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb'
import { openEngine } from 'lapidary-engine'
import { dynoxideBinary } from './bare-dynoxide.ts'

type Entry = Readonly<Record<string, AttributeValue>>

/**
 * Puts entries into the table of a data folder, whose database no process has open. The program of the embedded engine imports them as an export
 * of DynamoDB, in minutes where writes would take hours. What is derived of them is made afterwards.
 */
export async function fillDatabase(dataDir: string, tableName: string, entries: Iterable<Entry>): Promise<void> {
  const folder = mkdtempSync(join(dataDir, 'export-'))
  try {
    const { table, kept } = await described(dataDir, tableName)
    const schema = join(folder, 'schema.json')
    writeFileSync(schema, JSON.stringify({ Table: table }))
    const source = join(folder, 'source')
    mkdirSync(join(source, tableName, 'data'), { recursive: true })
    const lines = function* () {
      // What the library keeps in the table beside items.
      for (const entry of kept) yield `${JSON.stringify({ Item: entry })}\n`
      for (const entry of entries) yield `${JSON.stringify({ Item: entry })}\n`
    }
    await pipeline(lines(), createGzip({ level: 1 }), createWriteStream(join(source, tableName, 'data', 'a.json.gz')))
    const database = join(dataDir, 'dynamodb.sqlite')
    for (const part of ['', '-wal', '-shm']) rmSync(database + part, { force: true })
    const from = ['import', '--source', source, '--schema', schema, '--output', database]
    const { status, stderr } = spawnSync(dynoxideBinary(), from, { encoding: 'utf8' })
    if (status !== 0) throw new Error(`the entries were not imported: ${stderr}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function described(dataDir: string, tableName: string) {
  await using engine = await openEngine({ dataDir })
  const client = new DynamoDBClient(engine.clientConfig)
  try {
    const { Table: table } = await client.send(new DescribeTableCommand({ TableName: tableName }))
    const { Items: kept = [] } = await client.send(new ScanCommand({ TableName: tableName }))
    return { table, kept }
  } finally {
    client.destroy()
  }
}
