import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { type ImportProgress, type ImportResult, importRecords, jsonLines, type OnConflict } from 'lapidary/transfer'
import { csvRows } from 'lapidary/transfer/csv'
import { type CliCommand, type CommandRun, optionsOf } from '../command.ts'
import { decideWhen, makeDerived, WHEN_DERIVED, type WhenDerived } from '../derive-imported.ts'
import { type ImportJournal, NO_JOURNAL, openJournal } from '../import-journal.ts'
import { type ImportSource, openSource } from '../import-source.ts'
import { leftWaiting } from '../left-waiting.ts'
import type { CommonOptions } from '../options.ts'
import { UsageError, wholeNumber } from '../options.ts'
import { speedText, startProgress } from '../progress.ts'
import { openRejects } from '../rejects-file.ts'
import { openSession, type Session } from '../session.ts'
import type { Terminal } from '../terminal.ts'

interface ImportFlags extends CommonOptions {
  readonly rejects?: string
  readonly restart?: boolean
  readonly dryRun?: boolean
  readonly concurrency: number
  readonly onConflict?: OnConflict
  readonly derived?: WhenDerived
}

/** The most refusals that are shown; a file of the wrong kind would fill the screen. */
const MOST_SHOWN = 20

/** `lapidary import FILE`. */
export const importCommand: CliCommand = {
  register(program, run) {
    program
      .command('import')
      .description('store items from JSON Lines or CSV; one that is newer in the table stays')
      .argument('<file>', 'JSON Lines, or CSV by its ending; both also as .gz; - for JSON Lines on standard input')
      .option('--rejects <file>', "the file for lines that can't be stored")
      .option('--restart', 'begin at the start, even if an import of this file was interrupted')
      .addOption(
        new Option(
          '--on-conflict <how>',
          'an item that is in the table already: newer replaces the same or a lower version, replace replaces any, skip keeps it; newer when not given, or replace without a declared version',
        ).choices(['newer', 'replace', 'skip']),
      )
      .addOption(
        new Option(
          '--derived <when>',
          'when counts, leaderboards and page numbers are made: now, from the table at the end, or later, by what follows the stream; now when not given after 1,000 items or more where nothing was ever counted',
        ).choices(WHEN_DERIVED),
      )
      .option('--dry-run', 'check every line and write nothing')
      .option('--concurrency <n>', 'batches in flight', wholeNumber(1, 64), 6)
      .action((file: string, _flags: unknown, command: Command) => runImport(file, optionsOf(command), run))
  },
}

async function runImport(file: string, flags: ImportFlags, { terminal, fail }: CommandRun): Promise<void> {
  if (file !== '-' && flags.rejects !== undefined && resolve(flags.rejects) === resolve(file)) {
    throw new UsageError('--rejects names the file that is imported; name another')
  }
  const source = await openSource(file, terminal.signal)
  await using session = await openSession(flags)
  const journal = await journalOf(source, session, flags)
  const goesOn = journal.start.lines > 0
  if (goesOn) terminal.note(`going on after line ${journal.start.lines}; --restart begins at the start`)
  const isMadeAfter = flags.dryRun === true ? () => false : await decideWhen(session, flags.derived)
  const started = performance.now()
  const { result, error: broken } = await importFrom(source, session, flags, journal, terminal)
  const milliseconds = performance.now() - started
  if (result === undefined) throw broken
  const complete = broken === undefined && !result.interrupted && result.failed === 0
  if (flags.dryRun !== true) {
    if (complete) journal.remove()
    else journal.record(result.checkpoint, true)
  }
  const isMade = complete && isMadeAfter(result.written)
  const error = isMade ? await makeDerived(session, flags, terminal).catch((failure: unknown) => failure) : broken
  // A database that broke the import is not asked again.
  const left = flags.dryRun === true || error !== undefined ? undefined : await leftWaiting(session, terminal)
  const resumable = !complete && source.identity !== undefined && flags.dryRun !== true
  if (flags.json === true) {
    const { checkpoint: _, ...counts } = result
    await terminal.write(
      `${JSON.stringify({ file, dryRun: flags.dryRun === true, ...counts, ...left?.json, resumable, ms: Math.round(milliseconds) })}\n`,
    )
  } else {
    await terminal.write(summary(result, flags.dryRun === true, milliseconds, result.written - journal.start.written))
  }
  if (left?.text !== undefined) terminal.note(left.text)
  if (resumable) terminal.note(`the same command goes on after line ${result.checkpoint.lines}`)
  if (error !== undefined) throw error
  if (!complete || result.rejected > 0) fail()
}

async function journalOf(source: ImportSource, session: Session, flags: ImportFlags): Promise<ImportJournal> {
  if (flags.dryRun === true) return NO_JOURNAL
  const table = await session.ensureTable()
  if (source.identity === undefined) return NO_JOURNAL
  const tableIdentity = `${table.TableId ?? table.TableArn} ${String(table.CreationDateTime)}`
  const keys = [source.identity, tableIdentity, session.definition.tableName, session.collectionName]
  return openJournal(session.dataDir, keys, flags.restart === true)
}

/** Imports, and returns the result so far with the error that broke it. */
async function importFrom(
  source: ImportSource,
  session: Session,
  flags: ImportFlags,
  journal: ImportJournal,
  terminal: Terminal,
): Promise<{ readonly result?: ImportResult; readonly error?: unknown }> {
  const { start } = journal
  const rejects = openRejects(flags.rejects, start.lines > 0)
  const progress = startProgress(flags.dryRun === true ? 'checking' : 'importing', source.totalBytes)
  const started = performance.now()
  let shown = 0
  let latest: ImportProgress | undefined
  const records =
    source.format === 'csv'
      ? csvRows(session.collection, source.chunks, start.lines, rejects.header)
      : jsonLines(source.chunks, start.lines)
  try {
    const result = await importRecords(session.items, records, {
      concurrency: flags.concurrency,
      signal: terminal.signal,
      dryRun: flags.dryRun === true,
      ...(flags.onConflict === undefined ? {} : { onConflict: flags.onConflict }),
      from: start,
      onRejected({ line, raw }, reason) {
        rejects.add(raw)
        if (++shown <= MOST_SHOWN) terminal.note(`line ${line}: ${reason}`)
        if (shown === MOST_SHOWN + 1) terminal.note('more lines are refused; --rejects FILE keeps them all')
      },
      onProgress(current) {
        latest = current
        progress.update(source.bytesRead(), speedText(current.written - start.written, performance.now() - started))
        journal.record(current.checkpoint)
      },
    })
    for (const { line, reason } of result.failures) terminal.note(`line ${line}: ${reason}`)
    return { result }
  } catch (error) {
    return latest === undefined ? { error } : { result: { ...latest, interrupted: true, failures: [] }, error }
  } finally {
    progress.stop()
    rejects.close()
  }
}

function summary(result: ImportResult, dryRun: boolean, milliseconds: number, writtenNow: number): string {
  const { lines, written, replaced, skipped, rejected, failed, interrupted } = result
  const words = [
    `${grouped(written)} ${dryRun ? 'could be written' : 'written'}`,
    `${grouped(rejected)} refused`,
    ...(replaced > 0 ? [`${grouped(replaced)} replaced by a later line of the same id`] : []),
    ...(skipped > 0 ? [`${grouped(skipped)} left as they are in the table`] : []),
    ...(failed > 0 ? [`${grouped(failed)} not taken by DynamoDB`] : []),
  ]
  const speed = `${(milliseconds / 1000).toFixed(1)} s, ${grouped(Math.round((writtenNow / milliseconds) * 1000))} a second`
  return `${interrupted ? 'stopped after' : 'read'} ${grouped(lines)} ${lines === 1 ? 'line' : 'lines'}: ${words.join(', ')}; ${speed}\n`
}

function grouped(value: number): string {
  return value.toLocaleString('en')
}
