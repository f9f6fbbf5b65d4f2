import { argument, type CommandContext, type RespCommand } from '../command.ts'
import { longArgument } from '../ranges.ts'
import { bulk, failure, integer, NONE, NULL, OK, type Reply, ReplyError } from '../reply.ts'
import { requireName, type Session } from '../session.ts'
import { containerCommand, type Subcommand } from './container.ts'

const id: Subcommand = { name: 'id', arity: 2, flags: [], run: (_args, { session }) => integer(session.id) }

const getName: Subcommand = {
  name: 'getname',
  arity: 2,
  flags: [],
  run: (_args, { session }) => (session.name === '' ? NULL : bulk(session.name)),
}

const setName: Subcommand = {
  name: 'setname',
  arity: 3,
  flags: [],
  usage: '<name>',
  run(args, { session }) {
    session.name = requireName(argument(args, 2))
    return OK
  },
}

const setInfo: Subcommand = {
  name: 'setinfo',
  arity: 4,
  flags: [],
  usage: '<option> <value>',
  run(args, { session }) {
    const option = argument(args, 2)
    const part = /^lib-(name|ver)$/i.exec(option)?.[1]?.toLowerCase()
    if (part === undefined) throw failure(`Unrecognized option '${option}'`)
    const value = requireName(argument(args, 3), option.toLowerCase())
    if (part === 'name') session.library.name = value
    else session.library.version = value
    return OK
  },
}

/** Writes a client as a line of CLIENT LIST. */
function clientLine(session: Session): string {
  const now = Date.now()
  const seconds = (since: number): number => Math.floor((now - since) / 1_000)
  const { transaction, isWaiting, watch, library } = session
  const flags = [
    transaction === undefined ? '' : 'x',
    isWaiting ? 'b' : '',
    watch?.isTouched ? 'd' : '',
    session.isTouching ? '' : 'T',
  ].join('')
  const fields = {
    id: session.id,
    addr: session.address,
    laddr: session.localAddress,
    name: session.name,
    age: seconds(session.connectedAt),
    idle: seconds(session.activeAt),
    flags: flags || 'N',
    db: 0,
    sub: 0,
    psub: 0,
    ssub: 0,
    multi: transaction?.queued.length ?? -1,
    'multi-mem': transaction?.bytes ?? 0,
    watch: watch?.lists.size ?? 0,
    cmd: session.lastCommand?.name ?? 'NULL',
    user: 'default',
    resp: session.version,
    'lib-name': library.name,
    'lib-ver': library.version,
  }
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')
}

const clientLines = (sessions: readonly Session[]): Reply => ({
  type: 'verbatim',
  bytes: sessions.map((session) => `${clientLine(session)}\n`).join(''),
})

const info: Subcommand = { name: 'info', arity: 2, flags: [], run: (_args, { session }) => clientLines([session]) }

const list: Subcommand = {
  name: 'list',
  arity: -2,
  flags: [],
  usage: '[TYPE (NORMAL|MASTER|REPLICA|PUBSUB)] [ID <id> [<id> ...]]',
  run(args, { server }) {
    const all = [...server.sessions.values()]
    const option = args[2]?.toUpperCase()
    if (option === undefined) return clientLines(all)
    if (option === 'TYPE' && args.length === 4) return clientLines(requireClientType(argument(args, 3)) ? all : [])
    if (option !== 'ID' || args.length < 4) throw failure('syntax error')
    const ids = new Set(args.slice(3).map(idArgument))
    return clientLines(all.filter((session) => ids.has(session.id)))
  },
}

/** Tells whether clients of this type can be connected here. */
function requireClientType(type: string): boolean {
  if (!/^(normal|master|replica|slave|pubsub)$/i.test(type)) throw failure(`Unknown client type '${type}'`)
  return /^normal$/i.test(type)
}

function idArgument(text: string): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : 0
  if (value < 1) throw failure('Invalid client ID')
  return value
}

const reply: Subcommand = {
  name: 'reply',
  arity: 3,
  flags: [],
  usage: '(ON|OFF|SKIP)',
  run(args, { session, mayWait }) {
    const mode = argument(args, 2).toUpperCase()
    if (!['ON', 'OFF', 'SKIP'].includes(mode)) throw failure('syntax error')
    // The array that EXEC replies has room for each of its commands.
    if (!mayWait) throw failure('CLIENT REPLY inside MULTI is not allowed')
    if (mode === 'ON') session.replies = 'on'
    else if (mode === 'OFF') session.replies = 'off'
    else if (session.replies !== 'off') session.replies = 'skip next'
    return mode === 'ON' ? OK : NONE
  },
}

function onOrOff(text: string): boolean {
  if (!/^(on|off)$/i.test(text)) throw failure('syntax error')
  return /^on$/i.test(text)
}

/** Accepts CLIENT NO-EVICT: the server evicts no client anyway. */
const noEvict: Subcommand = {
  name: 'no-evict',
  arity: 3,
  flags: [],
  usage: '(ON|OFF)',
  run(args) {
    onOrOff(argument(args, 2))
    return OK
  },
}

/** Accepts CLIENT NO-TOUCH: the server does not note when a key was last used. */
const noTouch: Subcommand = {
  name: 'no-touch',
  arity: 3,
  flags: [],
  usage: '(ON|OFF)',
  run(args, { session }) {
    session.isTouching = !onOrOff(argument(args, 2))
    return OK
  },
}

const unblock: Subcommand = {
  name: 'unblock',
  arity: -3,
  flags: [],
  usage: '<clientid> [TIMEOUT|ERROR]',
  run(args, { server }) {
    const reason = (args[3] ?? 'timeout').toUpperCase()
    if (args.length > 4) throw failure('syntax error')
    if (reason !== 'TIMEOUT' && reason !== 'ERROR') throw failure('CLIENT UNBLOCK reason should be TIMEOUT or ERROR')
    const session = server.sessions.get(longArgument(argument(args, 2)))
    if (session === undefined) return integer(0)
    const given = new ReplyError('UNBLOCKED client unblocked via CLIENT UNBLOCK')
    const error: Reply | undefined = reason === 'ERROR' ? { type: 'error', text: given.message } : undefined
    return integer(server.waiting.end(session, error) ? 1 : 0)
  },
}

const kill: Subcommand = {
  name: 'kill',
  arity: -3,
  flags: [],
  usage: '<ip:port> | <option> <value> [<option> <value> ...], the options ID, ADDR, LADDR and SKIPME',
  run(args, context) {
    if (args.length === 3) {
      const found = killed(context, ({ address }) => address === args[2], false)
      if (found === 0) throw failure('No such client')
      return OK
    }
    const tests: ((session: Session) => boolean)[] = []
    let skipsOwn = true
    for (let i = 2; i < args.length; i += 2) {
      const [option, value] = [argument(args, i).toUpperCase(), args[i + 1]]
      if (value === undefined) throw failure('syntax error')
      if (option === 'ID') {
        const own = longArgument(value)
        if (own < 1) throw failure('client-id should be greater than 0')
        tests.push((session) => session.id === own)
      } else if (option === 'ADDR') tests.push(({ address }) => address === value)
      else if (option === 'LADDR') tests.push(({ localAddress }) => localAddress === value)
      else if (option === 'SKIPME' && /^(yes|no)$/i.test(value)) skipsOwn = /^yes$/i.test(value)
      else throw failure('syntax error')
    }
    return integer(killed(context, (session) => tests.every((test) => test(session)), skipsOwn))
  },
}

/** Cuts off the clients that pass a test; the caller itself gets its reply first. */
function killed(
  { server, session: own }: CommandContext,
  passes: (session: Session) => boolean,
  skipsOwn: boolean,
): number {
  const found = [...server.sessions.values()].filter((session) => passes(session) && !(skipsOwn && session === own))
  for (const session of found) {
    if (session === own) own.isEnding = true
    else session.cut()
  }
  return found.length
}

export const CLIENT_COMMANDS: readonly RespCommand[] = [
  containerCommand('client', [], [id, getName, setName, setInfo, info, list, reply, noEvict, noTouch, unblock, kill]),
]
