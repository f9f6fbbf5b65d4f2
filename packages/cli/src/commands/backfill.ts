import { hostname } from 'node:os'
import { type Command, InvalidArgumentError } from 'commander'
import type { Backfill, BackfilledCollection, BackfillProgress } from 'lapidary'
import { type CliCommand, type CommandRun, optionsOf } from '../command.ts'
import { count } from '../count-text.ts'
import type { MaintenanceFlags } from '../derived-data.ts'
import { wholeNumber } from '../options.ts'
import { phaseNotes } from '../phase-notes.ts'
import { openSession } from '../session.ts'

interface BackfillFlags extends MaintenanceFlags {
  readonly index?: string
  readonly fill?: Readonly<Record<string, string>>
  readonly dryRun?: boolean
}

/** `lapidary backfill [--index NAME] [--fill facet=value]`. */
export const backfillCommand: CliCommand = {
  register(program, run) {
    program
      .command('backfill')
      .description(
        'write the keys that a new index or facet needs, while the table is used; stopped or killed, run it again',
      )
      .option('--index <name>', 'only this index; all that are declared when not given')
      .option('--fill <facet=value>', 'a value for items that lack a new facet; can be repeated', oneFill)
      .option('--capacity <n>', 'the most capacity units a second', wholeNumber(1))
      .option('--dry-run', 'show what would be written, and change nothing')
      .action((_flags: unknown, command: Command) => runBackfill(optionsOf(command), run))
  },
}

function oneFill(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const at = text.indexOf('=')
  if (at <= 0) throw new InvalidArgumentError('It takes facet=value.')
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) }
}

async function runBackfill(flags: BackfillFlags, { terminal, fail }: CommandRun): Promise<void> {
  await using session = await openSession(flags)
  await session.requireTable()
  const started = performance.now()
  const { index, fill, capacity, dryRun = false } = flags
  const done = await session.database.table.backfill({
    collection: session.collectionName,
    owner: `lapidary on ${hostname()}, process ${process.pid}, since ${new Date().toISOString()}`,
    ...{ dryRun, signal: terminal.signal },
    ...(index === undefined ? {} : { index }),
    ...(fill === undefined ? {} : { fill }),
    ...(capacity === undefined ? {} : { capacity }),
    onProgress: phaseNotes(terminal, backfillProgress),
  })
  const ms = performance.now() - started
  await terminal.write(
    flags.json === true
      ? `${JSON.stringify({ dryRun, ...done, ms: Math.round(ms) })}\n`
      : backfillText(done, dryRun, ms),
  )
  if (!done.complete && !dryRun) fail()
}

function backfillProgress({ phase, done, total, leftMs, written, capacity }: BackfillProgress): string {
  const left = leftMs === undefined ? '' : `, ${Math.ceil(leftMs / 1000)} s left`
  switch (phase) {
    case 'wait':
      return `waiting until every process that writes knows of the indexes${left}`
    case 'scan':
      return `reading the table: ${count(done)}${total === undefined ? '' : ` of about ${count(total)}`} items, ${count(written)} written${left}, ${count(capacity, 'capacity unit')}`
    case 'build':
      return 'waiting until DynamoDB has built the indexes'
  }
}

function backfillText({ collections, capacity }: Backfill, dryRun: boolean, ms: number): string {
  const lines = collections.flatMap((each) => collectionLines(each, dryRun))
  return `${[...lines, `${(ms / 1000).toFixed(1)} s, ${count(capacity, 'capacity unit')}`].join('\n')}\n`
}

function collectionLines(done: BackfilledCollection, dryRun: boolean): readonly string[] {
  const { collection, items, written, filled, again, unfit, unfitItems, indexes, forgotten } = done
  const words = [
    `${count(items, 'item')} of ${collection} read`,
    `${count(written)} ${dryRun ? 'to be written' : 'written'}`,
  ]
  if (filled > 0) words.push(`${count(filled)} of them with a facet that they lacked`)
  if (again > 0) words.push(`${count(again)} read again, since another process changed them`)
  const problems = Object.entries(unfit).map(([index, number]) => {
    const [first] = unfitItems.filter((item) => item.index === index)
    const example = first === undefined ? '' : `, such as ${first.PK}: ${first.problem}`
    return `${index} can't hold ${count(number, 'item')}${example}; --fill facet=value gives a facet to those that lack it`
  })
  return [
    words.join(', '),
    ...indexes.map(({ name, state }) => `${name} ${state === 'ready' ? 'is complete' : 'is not complete'}`),
    ...problems,
    ...forgotten.map((name) => `${name} is neither declared nor in the table: its keys are not kept any more`),
  ]
}
