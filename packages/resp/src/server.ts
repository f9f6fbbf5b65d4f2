import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { DiskLists } from 'lapidary-pages/file'
import type { ServerState } from './command.ts'
import { CommandStatistics } from './command-statistics.ts'
import { Connection, type ConnectionHost } from './connection.ts'
import { Lingering } from './lingering.ts'
import { mostOpenFiles } from './open-files.ts'
import type { RequestLimits } from './request-parser.ts'
import { DEFAULT_SETTINGS } from './settings.ts'
import { Turns } from './turns.ts'
import { WaitingClients } from './waiting-clients.ts'
import { WatchedLists } from './watched-lists.ts'

/** Options of `startRespServer`. */
export interface RespServerOptions {
  /** The lists that the server serves; they stay open when the server is closed. */
  readonly lists: DiskLists
  /** The port; 6380 when not given, 0 for any free one. */
  readonly port?: number
  /** The host; 127.0.0.1 when not given, for programs of this machine only. */
  readonly host?: string
  /** The password that clients have to give first; none when not given. */
  readonly password?: string
  /** The most clients at a time; 10,000 when not given, or fewer where the system lets the process open fewer sockets. */
  readonly maxClients?: number
  /** The most bytes of one argument; 1 MiB when not given. */
  readonly maxArgumentBytes?: number
  /** The most bytes of one command; 64 MiB when not given. */
  readonly maxRequestBytes?: number
  /** The most members or keys of one reply, and the most members that one command removes (never more than 100,000); a million when not given. */
  readonly maxReplyEntries?: number
  /** The most bytes of one reply, and of the members that one command removes; 64 MiB when not given. */
  readonly maxReplyBytes?: number
  /** Milliseconds after which a client without the password is disconnected, where there is one; 10,000 when not given. */
  readonly loginMs?: number
  /** Called with defects of the server itself, not with errors in what clients send. */
  readonly onError?: (error: unknown) => void
}

/** A running server. */
export interface RespServer extends AsyncDisposable {
  /** The address for clients: `redis://127.0.0.1:6380`. */
  readonly url: string
  readonly port: number
  /** Takes no more clients and commands, writes the replies of those that came, and frees the port. */
  close(): Promise<void>
}

/** Milliseconds after which a server that ends cuts off clients that have not read their last replies: whatever stops the server waits a second. */
const PATIENCE_MS = 500
const KEEP_ALIVE_MS = 300_000
/** Milliseconds for which a client whose connection ends may read its last reply, and the most such clients beside the others. */
const [LINGER_MS, MOST_LINGERING] = [5_000, 1_000]
/** The files that the store and Node need, of those that the system lets the process open. */
const OTHER_FILES = 100
const FULL = 'ERR max number of clients reached'
const MOST_ARGUMENTS = 2 ** 20

const NAMES: { readonly [K in keyof RespServerOptions]-?: true } = {
  ...{ lists: true, port: true, host: true, password: true, onError: true },
  ...{
    maxClients: true,
    maxArgumentBytes: true,
    maxRequestBytes: true,
    maxReplyEntries: true,
    maxReplyBytes: true,
    loginMs: true,
  },
}

/** Refuses unknown options: a misspelt `password` would leave the server open. */
function requireServerOptions(options: RespServerOptions): void {
  const unknown = Object.entries(options).find(([name, value]) => value !== undefined && !Object.hasOwn(NAMES, name))
  if (unknown === undefined) return
  throw new TypeError(`startRespServer has no option ${unknown[0]}; there are ${Object.keys(NAMES).join(', ')}`)
}

/**
 * Serves sorted lists on disk by the Redis protocol, each as a sorted set under its name. It sends a reply once the changes that it confirms are
 * durable.
 *
 * @throws A system error with its `code`, when the port is taken; a TypeError for an unknown option.
 * @example
 * ```ts
 * import { openDiskLists } from 'lapidary-pages/file'
 *
 * const lists = await openDiskLists({ folder: '.lapidary/pages' })
 * const server = await startRespServer({ lists, port: 6380 })
 * console.log(`redis-cli -u ${server.url} ZRANGE 42/en 0 19 REV`)
 * ```
 */
export async function startRespServer(options: RespServerOptions): Promise<RespServer> {
  requireServerOptions(options)
  const { lists, port = 6380, host = '127.0.0.1', password, onError = () => {} } = options
  const { maxArgumentBytes = 2 ** 20, maxRequestBytes = 2 ** 26, maxReplyBytes = 2 ** 26 } = options
  const limits: RequestLimits = {
    argumentBytes: maxArgumentBytes,
    arguments: MOST_ARGUMENTS,
    requestBytes: maxRequestBytes,
  }
  // At the system's limit, those who know the password would be refused too, and the store its files.
  const openFiles = mostOpenFiles()
  const mostLingering = Math.min(MOST_LINGERING, Math.ceil(openFiles / 10))
  const maxClients = Math.max(1, Math.min(options.maxClients ?? 10_000, openFiles - mostLingering - OTHER_FILES))
  const state: ServerState = {
    lists,
    isPassword: password === undefined ? undefined : passwordCheck(password),
    mostEntries: options.maxReplyEntries ?? 1_000_000,
    mostReplyBytes: maxReplyBytes,
    mostQueued: { bytes: limits.requestBytes, arguments: limits.arguments },
    maxClients,
    startedAt: Date.now(),
    settings: { ...DEFAULT_SETTINGS },
    statistics: new CommandStatistics(),
    watched: new WatchedLists(),
    waiting: new WaitingClients(lists),
    sessions: new Map(),
    port,
    connections: 0,
  }
  const connections = new Set<Connection>()
  /** Clients that had given no password when they were last looked at, the oldest first. */
  const strangers = new Set<Connection>()
  const lingering = new Lingering({ mostBytes: maxRequestBytes, lingerMs: LINGER_MS, mostSockets: mostLingering })
  const forget = (connection: Connection): void => {
    connections.delete(connection)
    strangers.delete(connection)
    state.connections = connections.size
  }
  const connectionHost: ConnectionHost = {
    state,
    limits,
    loginMs: options.loginMs ?? 10_000,
    turns: new Turns(),
    onDefect: onError,
    onLeave(connection) {
      forget(connection)
      lingering.add(connection.socket)
    },
  }
  /** Makes room: disconnects the client that has waited longest without giving a password. */
  const sendStrangerAway = (): void => {
    for (const connection of strangers) {
      strangers.delete(connection)
      if (!connection.isStranger) continue
      forget(connection)
      connection.refuse(FULL)
      return
    }
  }
  let clients = 0
  const socketOptions = { allowHalfOpen: true, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS }
  const server = createServer(socketOptions, (socket) => {
    socket.on('error', () => socket.destroy())
    state.statistics.connections++
    if (connections.size >= maxClients) sendStrangerAway()
    if (connections.size >= maxClients) {
      state.statistics.refusedConnections++
      socket.write(`-${FULL}\r\n`)
      lingering.add(socket)
      return
    }
    const connection = new Connection(socket, ++clients, connectionHost)
    connections.add(connection)
    if (connection.isStranger) strangers.add(connection)
    state.connections = connections.size
    socket.on('close', () => forget(connection))
  })
  server.listen(port, host)
  await once(server, 'listening')
  server.on('error', onError)
  const bound = server.address() as AddressInfo
  state.port = bound.port
  let closing: Promise<void> | undefined
  const close = async (): Promise<void> => {
    const closed = once(server, 'close')
    server.close()
    const cut = setTimeout(() => {
      for (const { socket } of connections) socket.destroy()
      lingering.close()
    }, PATIENCE_MS)
    await Promise.all(Array.from(connections, (connection) => connection.stop()))
    await closed
    clearTimeout(cut)
  }
  return {
    url: `redis://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`,
    port: bound.port,
    close: () => (closing ??= close()),
    [Symbol.asyncDispose]: () => (closing ??= close()),
  }
}

/** Makes a check that takes the same time, however much of a password is right. */
function passwordCheck(password: string): (given: string) => boolean {
  const digest = (text: Buffer): Buffer => createHash('sha256').update(text).digest()
  const expected = digest(Buffer.from(password))
  // Arguments are byte strings.
  return (given) => timingSafeEqual(digest(Buffer.from(given, 'latin1')), expected)
}
