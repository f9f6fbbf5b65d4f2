import { type Command, Option } from 'commander'
import { type CountOptions, type Counts, type Summed, unknownText } from 'lapidary'
import { type CliCommand, type CommandRun, optionsOf } from '../command.ts'
import { count } from '../count-text.ts'
import { jsonOf } from '../json-of.ts'
import { addScopeOptions, type QueryFlags, queryInput } from '../query-options.ts'
import { openSession } from '../session.ts'

interface CountFlags extends Omit<QueryFlags, 'by' | 'order'> {
  readonly by?: readonly string[]
  readonly sums?: readonly string[]
  readonly every?: CountOptions['every']
  readonly zone?: string
}

/** `lapidary count --scope 42 --where language=en --by rating --sums amount --every month`. */
export const countCommand: CliCommand = {
  register(program, run) {
    addScopeOptions(program.command('count'))
      .description('count the items that pass a filter, and those of each value of each facet, without reading any')
      .option('--by <facets>', 'the facets whose values are counted, as rating,language; all when not given', names)
      .option('--sums <attributes>', 'attributes to add up, of those that are declared in sums, as amount', names)
      .addOption(
        new Option('--every <span>', 'count over time, by declared days or by columns').choices([
          'day',
          'week',
          'month',
        ]),
      )
      .option('--from <day>', 'with --every, the first day, as 2026-01-31')
      .option('--to <day>', 'with --every, the day after the last one')
      .option('--zone <zone>', 'with --every, the zone of the days: any by columns, else the declared one')
      .action((_flags: unknown, command: Command) => runCount(optionsOf(command), run))
  },
}

async function runCount(flags: CountFlags, { terminal }: CommandRun): Promise<void> {
  await using session = await openSession(flags)
  const { collection } = session
  const { by, sums, every, from, to, zone, ...selecting } = flags
  const isOfAll = flags.scope.length === 0 && collection.statistics.across !== undefined
  const { scope, where } = queryInput(collection, isOfAll ? { ...selecting, scope: ['any'] } : selecting)
  await session.requireTable()
  const asked = { ...(isOfAll ? {} : { scope }), where, by, sums, every, from, to, zone }
  const counts = await session.items.count(asked as { scope: string | string[] })
  await terminal.write(flags.json === true ? `${jsonOf(counts)}\n` : countsText(counts))
}

function countsText({ total, facets, sums, series, asOf, unknown, rcu }: Counts): string {
  if (total === null) return `not known: ${unknownText('counts', unknown ?? 'absent')}; ${rcu} RCU\n`
  const lines = Object.entries(facets ?? {}).map(
    ([facet, counts]) =>
      `${facet}: ${
        Object.entries(counts)
          .map(([value, n]) => `${value} ${count(n)}`)
          .join(', ') || 'none'
      }`,
  )
  const added = Object.entries(sums ?? {}).map(
    ([attribute, summed]) => `${attribute}: ${sumText(summed)}, average ${summed.average ?? 'of none'}`,
  )
  const parts = (series ?? []).map(({ from, total, sums }) =>
    [from, count(total, 'item'), ...Object.values(sums).map(sumText)].join('  '),
  )
  const when = asOf === null ? 'nothing was ever counted; run the server or lapidary stream' : `as of ${asOf}`
  return [count(total, 'item'), ...lines, ...added, ...parts, `${when}; ${rcu} RCU`, ''].join('\n')
}

function sumText({ sum, count: items }: Summed): string {
  return `${sum} of ${count(items, 'item')}`
}

function names(text: string): readonly string[] {
  return text.split(',')
}
