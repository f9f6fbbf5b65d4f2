import { type Command, Option } from 'commander'
import type { Item } from 'lapidary'
import { LapidaryError } from 'lapidary'
import { importItems, jsonLine } from 'lapidary/transfer'
import { breathing } from '../breathing.ts'
import { type CliCommand, type CommandRun, optionsOf } from '../command.ts'
import type { GenerateOptions } from '../config.ts'
import { count } from '../count-text.ts'
import { decideWhen, makeDerived, WHEN_DERIVED, type WhenDerived } from '../derive-imported.ts'
import { leftWaiting } from '../left-waiting.ts'
import { type CommonOptions, wholeNumber } from '../options.ts'
import { openOutput } from '../output.ts'
import { speedText, startProgress } from '../progress.ts'
import { type Declared, loadDeclared, openSession } from '../session.ts'

interface GenerateFlags extends CommonOptions, GenerateOptions {
  readonly output?: string
  readonly dryRun?: boolean
  readonly derived?: WhenDerived
}

/** `lapidary generate`. */
export const generateCommand: CliCommand = {
  register(program, run) {
    program
      .command('generate')
      .description('make up lifelike items, the same for the same seed')
      .option('--products <n>', 'how many products', wholeNumber(1, 10_000_000), 100)
      .option('--comments <n>', 'how many comments', wholeNumber(0, 1_000_000_000), 10_000)
      .option('--seed <n>', 'where chance begins', wholeNumber(0, 2 ** 32 - 1), 1)
      .option('--output <file>', 'write JSON Lines to this file, not to the table; - for standard output')
      .addOption(
        new Option('--derived <when>', 'when counts, leaderboards and page numbers are made, as for import').choices(
          WHEN_DERIVED,
        ),
      )
      .option('--dry-run', 'make and check them, and write nothing')
      .action((_flags: unknown, command: Command) => {
        const flags = optionsOf<GenerateFlags>(command)
        return flags.output === undefined ? generateIntoTable(flags, run) : generateFile(flags, flags.output, run)
      })
  },
}

async function generateIntoTable(flags: GenerateFlags, { terminal, fail }: CommandRun): Promise<void> {
  await using session = await openSession(flags)
  const items = generated(session, flags)
  if (flags.dryRun !== true) await session.ensureTable()
  const isMadeAfter = flags.dryRun === true ? () => false : await decideWhen(session, flags.derived)
  const progress = startProgress('generating', flags.comments)
  const started = performance.now()
  try {
    const result = await importItems(session.items, items, {
      signal: terminal.signal,
      dryRun: flags.dryRun === true,
      onProgress: ({ written }) => progress.update(written, speedText(written, performance.now() - started)),
      onRejected: ({ line }, reason) => terminal.note(`item ${line}: ${reason}`),
    })
    if (result.interrupted || result.rejected > 0 || result.failed > 0) fail()
    const { written, interrupted } = result
    progress.stop()
    if (!interrupted && isMadeAfter(written)) await makeDerived(session, flags, terminal)
    const left = flags.dryRun === true ? undefined : await leftWaiting(session, terminal)
    const done = flags.dryRun === true ? 'made, none written' : 'written'
    await say(terminal, flags, { written, interrupted, ...left?.json }, `${count(written, 'item')} ${done}`, started)
    if (left?.text !== undefined) terminal.note(left.text)
  } finally {
    progress.stop()
  }
}

async function generateFile(flags: GenerateFlags, file: string, { terminal }: CommandRun): Promise<void> {
  const declared = await loadDeclared(flags)
  const items = generated(declared, flags)
  const output = await openOutput(flags.dryRun === true ? undefined : file, terminal)
  const progress = startProgress('generating', flags.comments)
  const started = performance.now()
  let written = 0
  let text = ''
  try {
    for await (const item of items) {
      if (terminal.signal.aborted) throw new LapidaryError('aborted', `stopped after ${count(written, 'item')}`)
      text += jsonLine(declared.collection, item as Item)
      written++
      if (text.length > 65_536) {
        await output.write(text)
        text = ''
        progress.update(written, speedText(written, performance.now() - started))
      }
    }
    await output.write(text)
    await output.finish()
  } catch (error) {
    await output.abandon()
    throw error
  } finally {
    progress.stop()
  }
  const words = `${count(written, 'item')} written to ${file}`
  if (output.isStandardOutput) terminal.note(words)
  else await say(terminal, flags, { written, file }, words, started)
}

function generated({ config, collectionName }: Declared, flags: GenerateFlags): AsyncIterable<unknown> {
  const { generators = {} } = config
  const generator = Object.hasOwn(generators, collectionName) ? generators[collectionName] : undefined
  if (generator === undefined) {
    throw new LapidaryError(
      'bad_request',
      `the configuration ${config.file} has no generator for ${collectionName}; add one under generators`,
    )
  }
  const { products, comments, seed } = flags
  return breathing(generator({ products, comments, seed }))
}

async function say(
  terminal: CommandRun['terminal'],
  { json, products, seed, dryRun }: GenerateFlags,
  result: Readonly<Record<string, unknown>>,
  words: string,
  started: number,
): Promise<void> {
  const ms = Math.round(performance.now() - started)
  if (json === true)
    await terminal.write(`${JSON.stringify({ ...result, products, seed, dryRun: dryRun === true, ms })}\n`)
  else await terminal.write(`${words}; ${(ms / 1000).toFixed(1)} s\n`)
}
