import { dirname, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { type ImportProgress, type ImportResult, importRecords, type OnConflict } from 'lapidary/transfer'
import { type CliCommand, type CommandRun, optionsOf } from '../command.ts'
import { decideWhen, makeDerived, WHEN_DERIVED, type WhenDerived } from '../derive-imported.ts'
import { type ImportJournal, NO_JOURNAL, openJournal } from '../import-journal.ts'
import { checkHeaders } from '../importing/check-headers.ts'
import { checkAttributes } from '../importing/file-columns.ts'
import { findFiles, type ImportFiles } from '../importing/import-files.ts'
import { addFileOptions, type FileFlags, type FileReading, fileReading } from '../importing/import-flags.ts'
import { createImportNotes, type ImportNotes } from '../importing/import-notes.ts'
import { importedRecords, type PlacedRecord } from '../importing/import-records.ts'
import { refusalsText, rowsText, summary } from '../importing/import-report.ts'
import { createRefusals, type RefusalKind } from '../importing/refusals.ts'
import { jsonOf } from '../json-of.ts'
import { leftWaiting } from '../left-waiting.ts'
import type { CommonOptions } from '../options.ts'
import { UsageError, wholeNumber } from '../options.ts'
import { speedText, startProgress } from '../progress.ts'
import { openRejects } from '../rejects-file.ts'
import { openSession, type Session } from '../session.ts'
import type { Terminal } from '../terminal.ts'

interface ImportFlags extends CommonOptions, FileFlags {
  readonly rejects?: string
  readonly restart?: boolean
  readonly dryRun?: boolean
  readonly concurrency: number
  readonly onConflict?: OnConflict
  readonly derived?: WhenDerived
}

/** The most refusals that are shown; a file of the wrong kind would fill the screen. */
const MOST_SHOWN = 20
/** The items that a dry run shows. */
const ROWS_SHOWN = 10

/** `lapidary import FILE`. */
export const importCommand: CliCommand = {
  register(program, run) {
    const command = program
      .command('import')
      .description('store items from CSV or JSON, with the columns of any export; one that is newer in the table stays')
      .argument(
        '<file>',
        'a file of CSV, TSV, JSON Lines or a JSON list, also as .gz or .zip; a folder of them; - for standard input',
      )
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
    addFileOptions(command).action((file: string, _flags: unknown, command: Command) =>
      runImport(file, optionsOf(command), run),
    )
  },
}

async function runImport(file: string, flags: ImportFlags, { terminal, fail }: CommandRun): Promise<void> {
  const rejects = flags.rejects === undefined ? undefined : resolve(flags.rejects)
  if (file !== '-' && rejects !== undefined && [rejects, dirname(rejects)].includes(resolve(file)))
    throw new UsageError('--rejects names what is imported, or a file in it; name another')
  const reading = fileReading(flags)
  const source = await findFiles(file, terminal.signal)
  await using session = await openSession(flags)
  await checkAttributes(session.collection, reading.mapping)
  await checkHeaders(source, { ...reading, collection: session.collection })
  const journal = await journalOf(source, session, flags, reading)
  const goesOn = journal.start.lines > 0
  if (goesOn) terminal.note(`going on after line ${journal.start.lines}; --restart begins at the start`)
  const isMadeAfter = flags.dryRun === true ? () => false : await decideWhen(session, flags.derived)
  const started = performance.now()
  const importing = { source, session, flags, reading, journal, terminal }
  const { result, error: broken, rows, refusals, notes } = await importFrom(importing)
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
    const told = { ...notes.json(), refusals, ...(flags.dryRun === true ? { rows } : {}) }
    await terminal.write(
      `${jsonOf({ file, dryRun: flags.dryRun === true, ...counts, ...told, ...left?.json, resumable, ms: Math.round(milliseconds) })}\n`,
    )
  } else {
    if (flags.dryRun === true) await terminal.write(rowsText(rows))
    await terminal.write(summary(result, flags.dryRun === true, milliseconds, result.written - journal.start.written))
    await terminal.write(refusalsText(refusals))
  }
  for (const note of notes.texts()) terminal.note(note)
  if (left?.text !== undefined) terminal.note(left.text)
  if (resumable) terminal.note(`the same command goes on after line ${result.checkpoint.lines}`)
  if (error !== undefined) throw error
  if (!complete || result.rejected > 0) fail()
}

async function journalOf(
  source: ImportFiles,
  session: Session,
  flags: ImportFlags,
  { key }: FileReading,
): Promise<ImportJournal> {
  if (flags.dryRun === true) return NO_JOURNAL
  const table = await session.ensureTable()
  if (source.identity === undefined) return NO_JOURNAL
  const tableIdentity = `${table.TableId ?? table.TableArn} ${String(table.CreationDateTime)}`
  // What is read in another way is another import.
  const keys = [source.identity, tableIdentity, session.definition.tableName, session.collectionName]
  return openJournal(session.dataDir, key === '' ? keys : [...keys, key], flags.restart === true)
}

interface Importing {
  readonly source: ImportFiles
  readonly session: Session
  readonly flags: ImportFlags
  readonly reading: FileReading
  readonly journal: ImportJournal
  readonly terminal: Terminal
}

interface Imported {
  readonly result?: ImportResult
  readonly error?: unknown
  /** The first items, as they are stored. */
  readonly rows: readonly unknown[]
  readonly refusals: readonly RefusalKind[]
  readonly notes: ImportNotes
}

/** Imports, and returns the result so far with the error that broke it. */
async function importFrom({ source, session, flags, reading, journal, terminal }: Importing): Promise<Imported> {
  const { start } = journal
  const { collection } = session
  // What reads times takes a while to load, which other commands need not wait for.
  const { valueReadings } = await import('../importing/value-readings.ts')
  const readings = await valueReadings(collection, reading.values)
  const rejects = openRejects(flags.rejects, start.lines > 0)
  const progress = startProgress(flags.dryRun === true ? 'checking' : 'importing', source.totalBytes)
  const refusals = createRefusals(readings)
  const notes = createImportNotes(source, reading, readings)
  const rows: unknown[] = []
  /** Where the records of each file begin, the last one first. */
  const begins: { readonly before: number; readonly in: string; readonly of: 'line' | 'item' }[] = []
  const started = performance.now()
  let shown = 0
  let latest: ImportProgress | undefined
  const records = importedRecords(
    source,
    { ...reading, collection, readings, after: start.lines },
    {
      onFile(rows, name, before) {
        rejects.begin(rows)
        begins.unshift({
          before,
          in: source.files.length > 1 ? `${name}, ` : '',
          of: rows.format === 'json' ? 'item' : 'line',
        })
      },
      onColumns: notes.columns,
    },
  )
  const told = (): Pick<Imported, 'rows' | 'refusals' | 'notes'> => ({ rows, refusals: refusals.kinds(), notes })
  try {
    const result = await importRecords(session.items, records, {
      concurrency: flags.concurrency,
      signal: terminal.signal,
      dryRun: flags.dryRun === true,
      dedupe: reading.dedupe,
      readings: readings.afterRefusal,
      ...(flags.onConflict === undefined ? {} : { onConflict: flags.onConflict }),
      from: start,
      onTaken(_, item) {
        if (rows.length < ROWS_SHOWN) rows.push(item)
      },
      onRejected(record, reason, issues) {
        rejects.add(record.raw)
        const placed = record as PlacedRecord
        const text = refusals.add(placed, reason, issues)
        if (++shown <= MOST_SHOWN) terminal.note(`${placed.place}: ${text}`)
        if (shown === MOST_SHOWN + 1) terminal.note('more lines are refused; --rejects FILE keeps them all')
      },
      onProgress(current) {
        latest = current
        progress.update(source.bytesRead(), speedText(current.written - start.written, performance.now() - started))
        journal.record(current.checkpoint)
      },
    })
    for (const { line, reason } of result.failures) {
      const file = begins.find(({ before }) => before < line)
      terminal.note(`${file?.in ?? ''}${file?.of ?? 'line'} ${line - (file?.before ?? 0)}: ${reason}`)
    }
    return { result, ...told() }
  } catch (error) {
    if (latest === undefined) return { error, ...told() }
    // A pipe that a signal closed ends in the middle of what it carries.
    const failure = terminal.signal.aborted ? {} : { error }
    return { result: { ...latest, interrupted: true, failures: [] }, ...failure, ...told() }
  } finally {
    progress.stop()
    rejects.close()
  }
}
