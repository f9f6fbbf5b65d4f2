import type { Command } from 'commander'
import { type CliCommand, type CommandRun, optionsOf } from '../command.ts'
import { planReport } from '../plan-report.ts'
import { addPageOptions, type PageFlags, queryInput, readChosenPage } from '../query-options.ts'
import { openSession } from '../session.ts'

/** `lapidary explain --scope 42 --where rating=4,5`. */
export const explainCommand: CliCommand = {
  register(program, run) {
    addPageOptions(program.command('explain'))
      .description('run a query and show its plan, with estimates beside actual figures')
      .action((_flags: unknown, command: Command) => runExplain(optionsOf(command), run))
  },
}

async function runExplain(flags: PageFlags, { terminal }: CommandRun): Promise<void> {
  await using session = await openSession(flags)
  const query = queryInput(session.collection, flags)
  await session.requireTable()
  // A process that has just begun would plan with the counts or without them, whichever answer came first.
  await session.items.plan(query as { scope: string | string[] })
  const { plan } = await readChosenPage(session.items, query, flags, terminal.signal)
  await terminal.write(flags.json === true ? `${JSON.stringify(plan)}\n` : planReport(plan))
}
