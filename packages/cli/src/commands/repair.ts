import { hostname } from 'node:os'
import { Argument, type Command } from 'commander'
import { type Derived, LapidaryError, type Mending, type MendOptions } from 'lapidary'
import { type CliCommand, type CommandRun, optionsOf } from '../command.ts'
import { count } from '../count-text.ts'
import { type MaintenanceFlags, maintenanceOptions, verificationText } from '../derived-data.ts'
import { UsageError, wholeNumber } from '../options.ts'
import { openSession } from '../session.ts'

interface MendFlags extends MaintenanceFlags {
  readonly dryRun?: boolean
  readonly missing?: boolean
}

/** `lapidary repair`. */
export const repairCommand: CliCommand = {
  register(program, run) {
    addMendOptions(program.command('repair'))
      .description('mend the differences that verify shows, and nothing else, while the table is used')
      .action((_flags: unknown, command: Command) => runRepair(optionsOf(command), run))
  },
}

/** `lapidary rebuild all`, or a part of it; the library has the same words. */
export const rebuildCommand: CliCommand = {
  register(program, run) {
    addMendOptions(program.command('rebuild'))
      .description('make derived data from the items, while the table is used; killed or stopped, run it again')
      .addArgument(
        new Argument(
          '<what>',
          'all, statistics (counts, leaderboards and sums of your own), page-index, columns, duplicates, or one projection by its name',
        ),
      )
      .option('--missing', 'only page indexes that are not built')
      .action((what: string, _flags: unknown, command: Command) => runRebuild(what, optionsOf(command), run))
  },
}

function addMendOptions(command: Command): Command {
  return command
    .option('--capacity <n>', 'the most capacity units a second', wholeNumber(1))
    .option('--dry-run', 'show what would be mended, and change nothing')
}

async function runRebuild(what: string, flags: MendFlags, run: CommandRun): Promise<void> {
  if (what === 'page-index') return rebuildPageIndex(flags, run)
  if (flags.missing === true) throw new UsageError(`--missing is for page indexes; leave it out of rebuild ${what}`)
  await runMend((derived, options) => derived.rebuild(what, options).catch(asNameUsage), 0, flags, run)
}

/** Turns an unknown name into wrong usage, with the names that exist. */
function asNameUsage(error: unknown): never {
  throw error instanceof LapidaryError && error.details?.names !== undefined ? new UsageError(error.message) : error
}

async function rebuildPageIndex(flags: MendFlags, { terminal }: CommandRun): Promise<void> {
  await using session = await openSession(flags)
  await session.requireTable()
  if (flags.dryRun === true) {
    const [first, ...further] = await Promise.all(
      session.items.context.pages.map(async ({ lists, label }) => ({ label, state: await lists.state() })),
    )
    const found = first?.state ?? 'none'
    const texts = [`page index: ${found}`, ...further.map(({ label, state }) => `${label}: ${state}`)]
    await terminal.write(
      flags.json === true
        ? `${JSON.stringify({ dryRun: true, state: found, further })}\n`
        : `${texts.join('; ')}; nothing was changed\n`,
    )
    return
  }
  const started = performance.now()
  const rebuilt = await session.database.derived.rebuildPages({
    ...maintenanceOptions(flags, terminal),
    ...(flags.missing === true ? { missing: true } : {}),
  })
  const ms = Math.round(performance.now() - started)
  await terminal.write(
    flags.json === true
      ? `${JSON.stringify({ dryRun: false, ...rebuilt, ms })}\n`
      : `${count(rebuilt.items, 'item')} in the page index after ${(ms / 1000).toFixed(1)} s, ${count(rebuilt.capacity, 'capacity unit')}\n`,
  )
}

function runRepair(flags: MendFlags, run: CommandRun): Promise<void> {
  return runMend((derived, options) => derived.repair(options), undefined, flags, run)
}

/** @param shown The most differences that are shown. */
async function runMend(
  mend: (derived: Derived, options: MendOptions) => Promise<Mending>,
  shown: number | undefined,
  flags: MendFlags,
  { terminal }: CommandRun,
): Promise<void> {
  await using session = await openSession(flags)
  await session.requireTable()
  const started = performance.now()
  const { derived } = session.database
  const options = maintenanceOptions(flags, terminal)
  const dryRun = flags.dryRun === true
  const owner = `lapidary on ${hostname()}, process ${process.pid}, since ${new Date().toISOString()}`
  const mending: Mending = dryRun
    ? { ...(await derived.verify(options)), mended: 0, deadLettersForgotten: 0, gapsCleared: 0 }
    : await mend(derived, { ...options, owner })
  const ms = performance.now() - started
  if (flags.json === true) {
    await terminal.write(`${JSON.stringify({ dryRun, ...mending, ms: Math.round(ms) })}\n`)
    return
  }
  await terminal.write(verificationText(mending, ms, shown))
  const { mended, deadLettersForgotten, gapsCleared } = mending
  const done = [`${count(mended, 'derived item')} mended`]
  if (deadLettersForgotten > 0) done.push(`${count(deadLettersForgotten, 'dead letter')} made good`)
  if (gapsCleared > 0) done.push(`${count(gapsCleared, 'gap')} of the stream made up for`)
  await terminal.write(dryRun ? 'nothing was changed\n' : `${done.join('; ')}\n`)
}
