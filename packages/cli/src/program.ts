import { Command } from 'commander'
import type { CommandRun } from './command.ts'
import { adviseCommand } from './commands/advise.ts'
import { backfillCommand } from './commands/backfill.ts'
import { countCommand } from './commands/count.ts'
import { deleteAllCommand } from './commands/delete-all.ts'
import { doctorCommand } from './commands/doctor.ts'
import { explainCommand } from './commands/explain.ts'
import { exportCommand } from './commands/export.ts'
import { generateCommand } from './commands/generate.ts'
import { importCommand } from './commands/import.ts'
import { leaderboardCommand } from './commands/leaderboard.ts'
import { listCommand } from './commands/list.ts'
import { rebuildCommand, repairCommand } from './commands/repair.ts'
import { respCommand } from './commands/resp.ts'
import { serveCommand } from './commands/serve.ts'
import { showCommand } from './commands/show.ts'
import { streamCommand } from './commands/stream.ts'
import { studioCommand } from './commands/studio.ts'
import { tableCommand } from './commands/table.ts'
import { trainDictionaryCommand } from './commands/train-dictionary.ts'
import { verifyCommand } from './commands/verify.ts'
import { addCommonOptions } from './options.ts'

/** Every command, in the order of the help. A new one is a file in commands/ and a line here. */
const COMMANDS = [
  importCommand,
  exportCommand,
  generateCommand,
  listCommand,
  showCommand,
  explainCommand,
  countCommand,
  leaderboardCommand,
  deleteAllCommand,
  tableCommand,
  streamCommand,
  respCommand,
  serveCommand,
  verifyCommand,
  repairCommand,
  rebuildCommand,
  backfillCommand,
  adviseCommand,
  trainDictionaryCommand,
  doctorCommand,
  studioCommand,
]

/** Builds the command line with commander. */
export function createProgram(run: CommandRun, version: string): Command {
  const program = new Command('lapidary')
    .description('Filtering, counting and paging through DynamoDB at the cost of a key look-up')
    .version(version)
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ outputError: () => {} })
  addCommonOptions(program)
  for (const command of COMMANDS) command.register(program, run)
  return program
}
