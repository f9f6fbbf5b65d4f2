import { type Command, Option } from 'commander'
import { type CliCommand, type CommandRun, optionsOf } from '../command.ts'
import { type MaintenanceFlags, maintenanceOptions, verificationText } from '../derived-data.ts'
import { duration, wholeNumber } from '../options.ts'
import { openSession } from '../session.ts'
import { readStreamState, waitingProblem } from '../waiting-changes.ts'

interface VerifyFlags extends MaintenanceFlags {
  readonly sample?: number
  readonly since?: number
  readonly allowBehind?: boolean
}

/** `lapidary verify [--sample N | --since 1h]`. */
export const verifyCommand: CliCommand = {
  register(program, run) {
    program
      .command('verify')
      .description(
        'recount statistics and leaderboards from the items, compare duplicates, and print every difference; changes nothing',
      )
      .option('--sample <n>', 'only this many scopes, chosen at random', wholeNumber(1))
      .addOption(
        new Option('--since <time>', 'only what changed in the last 30s, 10m, 1h, 1d')
          .argParser(duration)
          .conflicts('sample'),
      )
      .option('--allow-behind', 'exit 0 even if changes wait that nothing counts')
      .option('--capacity <n>', 'the most capacity units a second', wholeNumber(1))
      .action((_flags: unknown, command: Command) => runVerify(optionsOf(command), run))
  },
}

async function runVerify(flags: VerifyFlags, { terminal, fail }: CommandRun): Promise<void> {
  await using session = await openSession(flags)
  await session.requireTable()
  const started = performance.now()
  const { sample, since } = flags
  const found = await session.database.derived.verify({
    ...maintenanceOptions(flags, terminal),
    ...(sample === undefined ? {} : { sample }),
    ...(since === undefined ? {} : { since: Date.now() - since }),
  })
  const ms = performance.now() - started
  const { counted, apart } = await readStreamState(session, terminal.signal)
  const waiting = [counted, ...(apart === undefined ? [] : [apart])]
  const problems = waiting.flatMap((each) => waitingProblem(each) ?? [])
  const behind = problems.length > 0
  if (flags.json === true) await terminal.write(`${JSON.stringify({ ...found, behind, ms: Math.round(ms) })}\n`)
  else {
    const notes = problems.map(({ message, remedy }) => `${message}\n  do: ${remedy}\n`)
    await terminal.write(verificationText(found, ms) + notes.join(''))
  }
  if (found.differenceCount > 0 || (behind && flags.allowBehind !== true)) fail()
}
