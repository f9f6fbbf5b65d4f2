import type { Command } from 'commander'
import { LapidaryError } from 'lapidary'
import { exportLines } from 'lapidary/transfer'
import { type CliCommand, type CommandRun, optionsOf } from '../command.ts'
import { count } from '../count-text.ts'
import type { CommonOptions } from '../options.ts'
import { type Output, openOutput } from '../output.ts'
import { speedText, startProgress } from '../progress.ts'
import { openSession } from '../session.ts'

interface ExportFlags extends CommonOptions {
  readonly dryRun?: boolean
}

/** `lapidary export [FILE]`. */
export const exportCommand: CliCommand = {
  register(program, run) {
    program
      .command('export')
      .description('write all items as JSON Lines, in a form that import takes')
      .argument('[file]', 'the file; compressed when it ends with .gz; standard output when not given, or -', '-')
      .option('--dry-run', 'read and count, and write no file')
      .action((file: string, _flags: unknown, command: Command) => runExport(file, optionsOf(command), run))
  },
}

async function runExport(file: string, flags: ExportFlags, { terminal }: CommandRun): Promise<void> {
  await using session = await openSession(flags)
  const table = await session.requireTable()
  const output = await openOutput(flags.dryRun === true ? undefined : file, terminal)
  const started = performance.now()
  const elapsed = (): number => performance.now() - started
  // DynamoDB counts a table's items every six hours, and the embedded engine counts everything in it.
  const progress = startProgress('exporting', table.ItemCount || undefined)
  let items = 0
  try {
    for await (const lines of exportLines(session.items, { signal: terminal.signal })) {
      await output.write(lines.join(''))
      items += lines.length
      progress.update(items, speedText(items, elapsed()))
      if (terminal.signal.aborted) throw new LapidaryError('aborted', `stopped after ${count(items, 'item')}`)
    }
    await output.finish()
  } catch (error) {
    await output.abandon()
    throw error
  } finally {
    progress.stop()
  }
  await report(output, { file, items, bytes: output.bytes(), ms: Math.round(elapsed()) }, flags)

  async function report(to: Output, result: Readonly<Record<string, unknown>>, { json }: ExportFlags): Promise<void> {
    const text =
      json === true ? JSON.stringify(result) : `${count(items, 'item')} exported in ${(elapsed() / 1000).toFixed(1)} s`
    if (to.isStandardOutput) terminal.note(text)
    else await terminal.write(`${text}\n`)
  }
}
