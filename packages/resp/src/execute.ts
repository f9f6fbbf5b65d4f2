import type { CommandContext, RespCommand } from './command.ts'
import type { CommandUse } from './command-statistics.ts'
import { CLIENT_COMMANDS } from './commands/client.ts'
import { COMBINATION_COMMANDS } from './commands/combinations.ts'
import { CONFIGURATION_COMMANDS } from './commands/configuration.ts'
import { CONNECTION_COMMANDS } from './commands/connection.ts'
import { commandCommand, INFORMATION_COMMANDS } from './commands/information.ts'
import { KEY_COMMANDS } from './commands/keys.ts'
import { MEMBER_COMMANDS } from './commands/members.ts'
import { OBJECT_COMMANDS } from './commands/objects.ts'
import { POP_COMMANDS } from './commands/pops.ts'
import { RANDOM_COMMANDS } from './commands/random.ts'
import { RANGE_COMMANDS } from './commands/ranges.ts'
import { TRANSACTION_COMMANDS } from './commands/transactions.ts'
import { NONE, type Reply, ReplyError, status } from './reply.ts'
import { failureReply } from './reply-failure.ts'
import { runCommand } from './run-command.ts'
import { endTransaction, enqueue, refuseTransaction } from './transaction.ts'

/** Every command. */
export const COMMANDS: readonly RespCommand[] = [
  ...CONNECTION_COMMANDS,
  ...CLIENT_COMMANDS,
  ...INFORMATION_COMMANDS,
  ...CONFIGURATION_COMMANDS,
  commandCommand(() => COMMANDS),
  ...KEY_COMMANDS,
  ...OBJECT_COMMANDS,
  ...MEMBER_COMMANDS,
  ...RANGE_COMMANDS,
  ...POP_COMMANDS,
  ...RANDOM_COMMANDS,
  ...COMBINATION_COMMANDS,
  ...TRANSACTION_COMMANDS,
]

// Also as most clients write them, so that most are found without another look-up.
const byName = new Map(
  COMMANDS.flatMap((command) => [command.name, command.name.toUpperCase()].map((name) => [name, command])),
)
const QUEUED = status('QUEUED')

/** Runs a command, or queues it in a transaction. An error becomes its reply. */
export function executeCommand(args: readonly string[], context: CommandContext): Reply {
  const { server, session } = context
  // CLIENT REPLY SKIP, the command before, suppresses this reply.
  if (session.replies === 'skip next') session.replies = 'skip'
  else if (session.replies === 'skip') session.replies = 'on'
  const reply = runOrQueue(args, context)
  // Served after the whole of a command or a transaction, never in the middle of one.
  if (server.waiting.isReady) server.waiting.serve()
  return session.replies === 'on' || reply.type === 'waiting' ? reply : NONE
}

function runOrQueue(args: readonly string[], context: CommandContext): Reply {
  const { server, session } = context
  let use: CommandUse | undefined
  let command: RespCommand | undefined
  try {
    command = commandOf(args)
    use = server.statistics.useOf(command)
    requireArity(command, args)
    if (!session.isAuthenticated && !command.flags.includes('noauth')) {
      throw new ReplyError('NOAUTH Authentication required.')
    }
    if (session.transaction !== undefined && !command.flags.includes('unqueued')) {
      enqueue(session.transaction, command, args, context)
      return QUEUED
    }
  } catch (error) {
    if (use === undefined) server.statistics.calls++
    else use.rejected++
    const reply = refusedCommand(command, failureReply(error), context)
    server.statistics.countError(reply)
    return reply
  }
  session.lastCommand = command
  return runCommand(command, args, context, use)
}

/** Replies to a command that neither runs nor is queued. A transaction must not run without a command that was sent. */
function refusedCommand(command: RespCommand | undefined, reply: Reply, context: CommandContext): Reply {
  if (command?.name !== 'exec' || reply.type !== 'error') {
    refuseTransaction(context.session)
    return reply
  }
  endTransaction(context)
  return { type: 'error', text: `EXECABORT Transaction discarded because of: ${reply.text.replace(/^ERR /, '')}` }
}

/** @throws {ReplyError} */
function commandOf(args: readonly string[]): RespCommand {
  const name = args[0] ?? ''
  const command = byName.get(name) ?? byName.get(name.toLowerCase())
  if (command === undefined) throw unknownCommand(args)
  if (command.subcommands === undefined || args[1] === undefined) return command
  const found = command.subcommands.get(args[1].toLowerCase())
  if (found !== undefined) return found
  throw new ReplyError(
    `ERR unknown subcommand '${untilNul(args[1]).slice(0, SHOWN)}'. Try ${command.name.toUpperCase()} HELP.`,
  )
}

/** @throws {ReplyError} */
function requireArity({ name, arity }: RespCommand, args: readonly string[]): void {
  if (arity > 0 ? args.length !== arity : args.length < -arity) {
    throw new ReplyError(`ERR wrong number of arguments for '${name}' command`)
  }
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

/** Cuts a text where Redis would: at the first NUL, as C does. */
function untilNul(text: string): string {
  return text.split('\0', 1)[0] ?? ''
}
