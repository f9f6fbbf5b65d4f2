import type { DiskChange, DiskLists } from 'lapidary-pages/file'
import type { CommandStatistics } from './command-statistics.ts'
import type { Reply } from './reply.ts'
import type { Session } from './session.ts'
import type { Settings } from './settings.ts'
import type { WaitingClients } from './waiting-clients.ts'
import type { WatchedLists } from './watched-lists.ts'

/** The state of the server that its commands use. */
export interface ServerState {
  readonly lists: DiskLists
  /** Checks a password; undefined when the server asks for none. */
  readonly isPassword: ((given: string) => boolean) | undefined
  /** The most entries of one reply. */
  readonly mostEntries: number
  /** The most bytes of one reply. */
  readonly mostReplyBytes: number
  /** The most bytes and arguments of all commands of one transaction, as many as one command may have. */
  readonly mostQueued: { readonly bytes: number; readonly arguments: number }
  readonly maxClients: number
  readonly startedAt: number
  readonly settings: Settings
  readonly statistics: CommandStatistics
  readonly watched: WatchedLists
  readonly waiting: WaitingClients
  /** The sessions of all clients, by their numbers. */
  readonly sessions: Map<number, Session>
  port: number
  connections: number
}

/** The context of one command. */
export interface CommandContext {
  readonly lists: DiskLists
  readonly session: Session
  readonly server: ServerState
  /** The most bytes of the reply; in a transaction, the bytes left for all of its replies. */
  mostReplyBytes: number
  /** Whether the client can wait for entries: not in the middle of a transaction. */
  mayWait: boolean
}

export type CommandFlag = 'write' | 'readonly' | 'fast' | 'blocking' | 'noauth' | 'unqueued'

/** One command of the protocol. */
export interface RespCommand {
  /** The name in small letters; a subcommand's begins with its command's, as `client|list`. */
  readonly name: string
  /** The number of arguments with the name; below zero when there may be more. */
  readonly arity: number
  /** The flags; `unqueued` marks a command that runs at once where others are queued, between MULTI and EXEC. */
  readonly flags: readonly CommandFlag[]
  /** The place of keys among the arguments, as Redis describes it. */
  readonly keys?: readonly [first: number, last: number, step: number]
  /** The subcommands that the second argument names. */
  readonly subcommands?: ReadonlyMap<string, RespCommand>
  /** @throws {ReplyError} */
  run(args: readonly string[], context: CommandContext): Reply
}

/** The most changes of one command: all other clients wait meanwhile. */
const MOST_CHANGES = 100_000

/** Returns how many entries one command may change, or look at one by one. */
export function mostChanged({ server }: CommandContext): number {
  return Math.min(server.mostEntries, MOST_CHANGES)
}

/**
 * Makes changes; every list that they name must change. Clients that watch one of the lists, or wait for it, learn of them.
 *
 * @returns How many changed anything.
 */
export function change({ lists, server }: CommandContext, changes: readonly DiskChange[]): number {
  const made = lists.change(changes)
  if (made > 0) {
    if (server.watched.size > 0) server.watched.notice(changes)
    if (server.waiting.size > 0) server.waiting.notice(changes)
  }
  return made
}

/** Returns an argument that a command has by its arity. */
export function argument(args: readonly string[], index: number): string {
  return args[index] ?? ''
}
