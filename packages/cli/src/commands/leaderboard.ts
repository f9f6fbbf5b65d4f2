import type { Command } from 'commander'
import { type AnyCollection, LapidaryError, type LeaderboardPage, MAX_LIMIT, shown } from 'lapidary'
import { type CliCommand, type CommandRun, optionsOf } from '../command.ts'
import { count } from '../count-text.ts'
import { jsonOf } from '../json-of.ts'
import { type CommonOptions, UsageError, wholeNumber } from '../options.ts'
import { openSession } from '../session.ts'
import { textTable } from '../text-table.ts'

interface LeaderboardFlags extends CommonOptions {
  readonly where: readonly string[]
  readonly limit?: number
  readonly cursor?: string
}

/** `lapidary leaderboard five-star --where language=en`. */
export const leaderboardCommand: CliCommand = {
  register(program, run) {
    program
      .command('leaderboard')
      .description('scopes by how many items they have, or by a sum or an average, the highest first')
      .argument('<name>', 'a declared leaderboard')
      .option('--where <facet=value>', 'one value of a oneOf facet; can be repeated', collected, [])
      .option('--limit <n>', 'how many scopes; 10 when not given', wholeNumber(1, MAX_LIMIT))
      .option('--cursor <cursor>', 'the cursor of another page')
      .action((name: string, _flags: unknown, command: Command) => runLeaderboard(name, optionsOf(command), run))
  },
}

async function runLeaderboard(name: string, flags: LeaderboardFlags, { terminal }: CommandRun): Promise<void> {
  await using session = await openSession(flags)
  const { collection, items } = session
  const known = collection.leaderboards.map((board) => board.name)
  if (!known.includes(name))
    throw new UsageError(`there is no leaderboard ${shown(name)}; declared: ${known.join(', ') || 'none'}`)
  const where = selection(flags.where)
  await session.requireTable()
  const { limit, cursor } = flags
  try {
    const page = await items.leaderboard({ name, where, cursor, ...(limit === undefined ? {} : { limit }) })
    await terminal.write(
      flags.json === true ? `${jsonOf(page)}\n` : boardText(collection, name, page, terminal.columns),
    )
  } catch (error) {
    // What the board has no filter for was asked wrongly.
    if (error instanceof LapidaryError && error.code === 'unprocessable') throw new UsageError(error.message)
    throw error
  }
}

function boardText(
  { scope }: AnyCollection,
  name: string,
  { entries, cursors, asOf, plan }: LeaderboardPage,
  columns: number,
): string {
  const rcu = plan.actual?.rcu ?? 0
  if (entries === null) return `not known: ${plan.limits.join('; ')}; ${rcu} RCU\n`
  const by = ['sum', 'average'].filter((each) => entries.some((entry) => each in entry)) as ('sum' | 'average')[]
  const rows = entries.map((entry) => [entry.rank, entry.scope, ...by.map((each) => entry[each]), entry.count])
  const table =
    rows.length === 0 ? 'no scopes\n' : textTable(['rank', scope.attribute, ...by, 'count'], rows, columns, columns)
  const when = asOf === null ? '' : `as of ${asOf}; `
  const next = cursors.next === null ? '' : `next:     --cursor ${cursors.next}\n`
  return `${table}\n${count(rows.length, 'scope')} of ${name}; ${when}${count(rcu)} RCU\n${next}`
}

function selection(terms: readonly string[]): Record<string, string> {
  const where: Record<string, string> = Object.create(null)
  for (const term of terms) {
    const at = term.indexOf('=')
    const [facet, value] = [term.slice(0, at), term.slice(at + 1)]
    if (at < 1 || value === '')
      throw new UsageError(`--where ${shown(term)} is not facet=value, as in --where language=en`)
    if (facet in where) throw new UsageError(`${facet} is asked for more than once; a leaderboard is of one value`)
    where[facet] = value
  }
  return where
}

function collected(value: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, value]
}
