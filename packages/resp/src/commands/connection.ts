import { argument, type CommandContext, type RespCommand } from '../command.ts'
import { longArgument } from '../ranges.ts'
import { parseLong } from '../redis-number.ts'
import { REDIS_VERSION } from '../redis-version.ts'
import { bulk, failure, integer, OK, ReplyError, status } from '../reply.ts'
import { requireName, resetSession } from '../session.ts'
import { endTransaction } from '../transaction.ts'

const WRONG_PASSWORD = 'WRONGPASS invalid username-password pair or user is disabled.'
const HELLO_FIRST =
  'NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time'

const ping: RespCommand = {
  name: 'ping',
  arity: -1,
  flags: ['fast'],
  run(args) {
    if (args.length > 2) throw failure("wrong number of arguments for 'ping' command")
    return args[1] === undefined ? { type: 'status', text: 'PONG' } : bulk(args[1])
  },
}

const echo: RespCommand = { name: 'echo', arity: 2, flags: ['fast'], run: (args) => bulk(argument(args, 1)) }

const quit: RespCommand = {
  name: 'quit',
  arity: -1,
  flags: ['fast', 'noauth', 'unqueued'],
  run(_args, { session }) {
    session.isEnding = true
    return OK
  },
}

const select: RespCommand = {
  name: 'select',
  arity: 2,
  flags: ['fast'],
  run(args) {
    if (longArgument(argument(args, 1)) !== 0) throw failure('DB index is out of range')
    return OK
  },
}

const auth: RespCommand = {
  name: 'auth',
  arity: -2,
  flags: ['fast', 'noauth'],
  run(args, context) {
    if (args.length > 3) throw failure('syntax error')
    const [user, password] = args.length === 3 ? [args[1], args[2]] : ['default', args[1]]
    if (context.server.isPassword === undefined && args.length === 2) {
      throw failure(
        'AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?',
      )
    }
    authenticate(context, user ?? '', password ?? '')
    return OK
  },
}

/** @throws {ReplyError} */
function authenticate({ session, server }: CommandContext, user: string, password: string): void {
  // The default user of a server without a password takes any password.
  const isRight = user === 'default' && (server.isPassword?.(password) ?? true)
  if (!isRight) {
    server.statistics.refusedPasswords++
    throw new ReplyError(WRONG_PASSWORD)
  }
  session.isAuthenticated = true
}

const hello: RespCommand = {
  name: 'hello',
  arity: -1,
  flags: ['fast', 'noauth'],
  run(args, context) {
    const { session } = context
    const version = args[1] === undefined ? session.version : parseLong(args[1])
    if (version === undefined) throw failure('Protocol version is not an integer or out of range')
    if (version !== 2 && version !== 3) throw new ReplyError('NOPROTO unsupported protocol version')
    let name: string | undefined
    let login: readonly [string, string] | undefined
    for (let i = 2; i < args.length; i++) {
      const option = argument(args, i).toUpperCase()
      if (option === 'AUTH' && i + 2 < args.length) login = [argument(args, ++i), argument(args, ++i)]
      else if (option === 'SETNAME' && i + 1 < args.length) name = requireName(argument(args, ++i))
      else throw failure(`Syntax error in HELLO option '${argument(args, i)}'`)
    }
    if (login !== undefined) authenticate(context, login[0], login[1])
    if (!session.isAuthenticated) throw new ReplyError(HELLO_FIRST)
    if (name !== undefined) session.name = name
    session.version = version
    return {
      type: 'map',
      entries: [
        [bulk('server'), bulk('redis')],
        [bulk('version'), bulk(REDIS_VERSION)],
        [bulk('proto'), integer(version)],
        [bulk('id'), integer(session.id)],
        [bulk('mode'), bulk('standalone')],
        [bulk('role'), bulk('master')],
        [bulk('modules'), { type: 'array', items: [] }],
      ],
    }
  },
}

const reset: RespCommand = {
  name: 'reset',
  arity: 1,
  flags: ['fast', 'noauth', 'unqueued'],
  run(_args, context) {
    endTransaction(context)
    resetSession(context.session)
    context.session.isAuthenticated = context.server.isPassword === undefined
    return status('RESET')
  },
}

export const CONNECTION_COMMANDS: readonly RespCommand[] = [ping, echo, quit, reset, select, auth, hello]
