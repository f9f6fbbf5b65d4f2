import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import type { Command } from 'commander'
import { storedForms } from 'lapidary/codecs'
import { primaryKey } from 'lapidary/layouts'
import { type CliCommand, type CommandRun, optionsOf } from '../command.ts'
import { jsonOf } from '../json-of.ts'
import type { CommonOptions } from '../options.ts'
import { openSession } from '../session.ts'
import { textTable } from '../text-table.ts'

/** `lapidary show 100001`. */
export const showCommand: CliCommand = {
  register(program, run) {
    program
      .command('show')
      .argument('<id>', 'the id of an item')
      .description('show an item, and how each of its attributes is stored')
      .action((id: string, _flags: unknown, command: Command) => runShow(id, optionsOf(command), run))
  },
}

async function runShow(id: string, flags: CommonOptions, { terminal }: CommandRun): Promise<void> {
  await using session = await openSession(flags)
  await session.requireTable()
  const { collection, client, definition } = session
  const item = await session.items.get(id)
  const { PK, SK } = primaryKey(collection, id)
  const Key = { PK: { S: PK }, SK: { S: SK } }
  const { Item = {} } = await client.send(new GetItemCommand({ TableName: definition.tableName, Key }))
  const stored = storedForms(collection, Item)
  if (flags.json === true) {
    await terminal.write(`${jsonOf({ item, stored })}\n`)
    return
  }
  const rows = stored.map(({ name, bytes, form }) => [name, bytes, form])
  const all = stored.reduce((sum, { bytes }) => sum + bytes, 0)
  const table = textTable(['stored as', 'bytes', 'form'], rows, terminal.columns)
  await terminal.write(`${jsonOf(item, 2)}\n\n${table}${all} bytes in the table\n`)
}
