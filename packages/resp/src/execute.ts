import { LapidaryError } from 'lapidary/page-index/file'
import type { CommandContext, RespCommand } from './command.ts'
import { CONNECTION_COMMANDS } from './commands/connection.ts'
import { commandCommand, INFORMATION_COMMANDS } from './commands/information.ts'
import { KEY_COMMANDS } from './commands/keys.ts'
import { MEMBER_COMMANDS } from './commands/members.ts'
import { RANGE_COMMANDS } from './commands/ranges.ts'
import { type Reply, ReplyError } from './reply.ts'

/** Every command. */
export const COMMANDS: readonly RespCommand[] = [
  ...CONNECTION_COMMANDS,
  ...INFORMATION_COMMANDS,
  commandCommand(() => COMMANDS),
  ...KEY_COMMANDS,
  ...MEMBER_COMMANDS,
  ...RANGE_COMMANDS,
]

// As most clients write them too, so that most are found without another look.
const byName = new Map(
  COMMANDS.flatMap((command) => [command.name, command.name.toUpperCase()].map((name) => [name, command])),
)

/** Runs a command. Whatever is wrong with it is its reply. */
export function execute(args: readonly string[], context: CommandContext): Reply {
  const name = args[0] ?? ''
  const command = byName.get(name) ?? byName.get(name.toLowerCase())
  context.server.commands++
  try {
    if (command === undefined) throw unknownCommand(args)
    if (command.arity > 0 ? args.length !== command.arity : args.length < -command.arity) {
      throw new ReplyError(`ERR wrong number of arguments for '${command.name}' command`)
    }
    if (!context.session.isAuthenticated && !command.flags.includes('noauth')) {
      throw new ReplyError('NOAUTH Authentication required.')
    }
    return command.run(args, context)
  } catch (error) {
    return refusal(error)
  }
}

/** What is wrong, as a reply; throws what is a defect. */
export function refusal(error: unknown): Reply {
  if (error instanceof ReplyError) return { type: 'error', text: error.message }
  if (error instanceof LapidaryError) return storeFailure(error)
  throw error
}

/** What the store refused, as a reply. */
export function storeFailure({ code, message }: LapidaryError): Reply {
  return { type: 'error', text: code === 'unavailable' ? `MISCONF ${message}` : `ERR ${message}` }
}

const SHOWN = 128

function unknownCommand(args: readonly string[]): ReplyError {
  let shown = ''
  for (const argument of args.slice(1)) {
    if (shown.length >= SHOWN) break
    shown += `'${untilNul(argument).slice(0, SHOWN - shown.length)}' `
  }
  const name = untilNul(args[0] ?? '').slice(0, SHOWN)
  return new ReplyError(`ERR unknown command '${name}', with args beginning with: ${shown}`)
}

/** Redis shows texts as C does. */
function untilNul(text: string): string {
  return text.split('\0', 1)[0] ?? ''
}
