import type { Command } from 'commander'
import type { DeleteAllProgress } from 'lapidary'
import { type CliCommand, type CommandRun, optionsOf } from '../command.ts'
import { count } from '../count-text.ts'
import { UsageError, wholeNumber } from '../options.ts'
import { phaseNotes } from '../phase-notes.ts'
import { addSelectionOptions, type QueryFlags, queryInput } from '../query-options.ts'
import { openSession } from '../session.ts'

interface DeleteAllFlags extends QueryFlags {
  readonly capacity?: number
  readonly dryRun?: boolean
  readonly yes?: boolean
}

/** `lapidary delete-all --scope 42 --where rating=1 --yes`. */
export const deleteAllCommand: CliCommand = {
  register(program, run) {
    addSelectionOptions(program.command('delete-all'))
      .description('delete all items of a scope, or those that pass a filter; stopped or killed, run it again')
      .option('--capacity <n>', 'the most capacity units a second', wholeNumber(1))
      .option('--dry-run', 'show how many would be deleted, and change nothing')
      .option('--yes', 'delete them: without it, or --dry-run, nothing is done')
      .action((_flags: unknown, command: Command) => runDeleteAll(optionsOf(command), run))
  },
}

async function runDeleteAll(flags: DeleteAllFlags, { terminal }: CommandRun): Promise<void> {
  const { capacity, dryRun = false, yes = false } = flags
  if (flags.scope.length === 0) throw new UsageError('it takes --scope, of which all items are deleted')
  if (!dryRun && !yes) {
    throw new UsageError('deleting can not be undone: say --yes to delete, or --dry-run to see how many it would be')
  }
  await using session = await openSession(flags)
  const query = queryInput(session.collection, flags)
  await session.requireTable()
  const started = performance.now()
  const note = phaseNotes(terminal, deleteProgress)
  const done = await session.items.deleteAll({
    ...(query as { scope: string | string[] }),
    ...{ capacity, dryRun, signal: terminal.signal },
    onProgress: (progress) => note({ ...progress, phase: dryRun ? 'counted' : 'deleted' }),
  })
  const ms = Math.round(performance.now() - started)
  await terminal.write(
    flags.json === true
      ? `${JSON.stringify({ dryRun, ...done, ms })}\n`
      : `${count(done.deleted, 'item')} ${dryRun ? 'would be deleted; nothing was changed' : 'deleted'}; ${(ms / 1000).toFixed(1)} s, ${count(done.capacity, 'capacity unit')}\n`,
  )
}

function deleteProgress({ deleted, total, capacity, phase }: DeleteAllProgress & { readonly phase: string }): string {
  const of = total === undefined ? '' : ` of about ${count(total)}`
  return `${count(deleted)}${of} ${phase}, ${count(capacity, 'capacity unit')}`
}
