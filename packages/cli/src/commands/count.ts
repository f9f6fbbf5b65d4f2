import type { Command } from 'commander'
import { type Counts, unknownText } from 'lapidary'
import { type CliCommand, type CommandRun, optionsOf } from '../command.ts'
import { count } from '../count-text.ts'
import { addQueryOptions, type QueryFlags, queryInput } from '../query-options.ts'
import { openSession } from '../session.ts'

/** `lapidary count --scope 42 --where language=en`. */
export const countCommand: CliCommand = {
  register(program, run) {
    addQueryOptions(program.command('count'))
      .description('count the items that pass a filter, and those of each value of each facet, without reading any')
      .action((_flags: unknown, command: Command) => runCount(optionsOf(command), run))
  },
}

async function runCount(flags: QueryFlags, { terminal }: CommandRun): Promise<void> {
  await using session = await openSession(flags)
  const query = queryInput(session.collection, flags)
  await session.requireTable()
  const counts = await session.items.count(query as { scope: string | string[] })
  await terminal.write(flags.json === true ? `${JSON.stringify(counts)}\n` : countsText(counts))
}

function countsText({ total, facets, asOf, unknown, rcu }: Counts): string {
  if (total === null) return `not known: ${unknownText('counts', unknown ?? 'absent')}; ${rcu} RCU\n`
  const lines = Object.entries(facets ?? {}).map(
    ([facet, counts]) =>
      `${facet}: ${
        Object.entries(counts)
          .map(([value, n]) => `${value} ${count(n)}`)
          .join(', ') || 'none'
      }`,
  )
  const when = asOf === null ? 'nothing was ever counted; run the server or lapidary stream' : `as of ${asOf}`
  return [count(total, 'item'), ...lines, `${when}; ${rcu} RCU`, ''].join('\n')
}
