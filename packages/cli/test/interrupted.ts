import type { ChildProcess } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb'
import type { CliHome } from './run-cli.ts'

/** Waits until an import has noted how far it is. It does so once a second: held that long, it does so with its next batch. */
export async function untilNoted(home: CliHome, child: ChildProcess, TableName: string): Promise<void> {
  const client = new DynamoDBClient(home.engine.clientConfig)
  const first = new ScanCommand({ TableName, Limit: 1 })
  for (let count = 0; count === 0; ) count = (await client.send(first).catch(() => undefined))?.Count ?? 0
  client.destroy()
  child.kill('SIGSTOP')
  await delay(1_100)
  child.kill('SIGCONT')
  while (!hasJournal(home)) {
    if (child.exitCode !== null) throw new Error('the import was over before it was to be stopped')
    await delay(1)
  }
}

/** Tells whether an import is noted that is not done. */
export function hasJournal(home: CliHome): boolean {
  try {
    return readdirSync(home.file('imports')).some((name) => name.endsWith('.json'))
  } catch {
    return false
  }
}
