import type { DiskChange, DiskLists } from 'lapidary/page-index/file'
import type { CommandStatistics } from './command-statistics.ts'
import type { Reply } from './reply.ts'
import type { Session } from './session.ts'
import type { Settings } from './settings.ts'
import type { WaitingClients } from './waiting-clients.ts'
import type { WatchedLists } from './watched-lists.ts'

/** The server as its commands see it. */
export interface ServerState {
  readonly lists: DiskLists
  /** Checks a password; undefined when the server asks for none. */
  readonly isPassword: ((given: string) => boolean) | undefined
  /** Entries that one reply may have. */
  readonly mostEntries: number
  /** Bytes that one reply may have. */
  readonly mostReplyBytes: number
  /** All commands of one transaction may have as much as one command. */
  readonly mostQueued: { readonly bytes: number; readonly arguments: number }
  readonly maxClients: number
  readonly startedAt: number
  readonly settings: Settings
  readonly statistics: CommandStatistics
  readonly watched: WatchedLists
  readonly waiting: WaitingClients
  /** Those of all clients, by their numbers. */
  readonly sessions: Map<number, Session>
  port: number
  connections: number
}

/** The surroundings of a command that is run. */
export interface CommandContext {
  readonly lists: DiskLists
  readonly session: Session
  readonly server: ServerState
  /** Bytes that the reply may have: in a transaction, those that are left of what all of its replies may have. */
  mostReplyBytes: number
  /** Whether the client can wait for what is not there yet: not in the middle of a transaction. */
  mayWait: boolean
}

export type CommandFlag = 'write' | 'readonly' | 'fast' | 'blocking' | 'noauth' | 'unqueued'

/** One command of the protocol. */
export interface RespCommand {
  /** In small letters; a subcommand's has its command's in front, as `client|list`. */
  readonly name: string
  /** Arguments with the name; below zero when there may be more. */
  readonly arity: number
  /** `unqueued` is a command that is run at once where others are queued, between MULTI and EXEC. */
  readonly flags: readonly CommandFlag[]
  /** The places of keys among the arguments, as Redis describes them. */
  readonly keys?: readonly [first: number, last: number, step: number]
  /** Commands that the second argument names. */
  readonly subcommands?: ReadonlyMap<string, RespCommand>
  /** @throws {ReplyError} */
  run(args: readonly string[], context: CommandContext): Reply
}

/** Changes that one command makes: all other clients wait meanwhile. */
const MOST_CHANGES = 100_000

/** Entries that one command may change, or look at one by one. */
export function mostChanged({ server }: CommandContext): number {
  return Math.min(server.mostEntries, MOST_CHANGES)
}

/**
 * Makes changes, which have to name no list that stays as it is. Clients that watch one of the lists, or wait for it, learn of them.
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

/** The arguments that a command is sure to have, by its arity. */
export function argument(args: readonly string[], index: number): string {
  return args[index] ?? ''
}
