import { type Command, Option } from 'commander'
import { type CliCommand, type CommandRun, optionsOf } from '../command.ts'
import { type MaintenanceFlags, maintenanceOptions, verificationText } from '../derived-data.ts'
import { duration, wholeNumber } from '../options.ts'
import { openSession } from '../session.ts'

interface VerifyFlags extends MaintenanceFlags {
  readonly sample?: number
  readonly since?: number
}

/** `lapidary verify [--sample N | --since 1h]`. */
export const verifyCommand: CliCommand = {
  register(program, run) {
    program
      .command('verify')
      .description(
        'recount statistics and leaderboards from the items, look at duplicates, and print every difference; changes nothing',
      )
      .option('--sample <n>', 'only so many scopes, chosen by chance', wholeNumber(1))
      .addOption(
        new Option('--since <time>', 'only what changed in the last 30s, 10m, 1h, 1d')
          .argParser(duration)
          .conflicts('sample'),
      )
      .option('--capacity <n>', 'capacity units a second, at most', wholeNumber(1))
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
  await terminal.write(
    flags.json === true ? `${JSON.stringify({ ...found, ms: Math.round(ms) })}\n` : verificationText(found, ms),
  )
  if (found.differenceCount > 0) fail()
}
