import type { DiskLists } from 'lapidary/page-index/file'
import type { ProtocolVersion, Reply } from './reply.ts'

/** What one connection has said of itself. */
export interface Session {
  readonly id: number
  isAuthenticated: boolean
  version: ProtocolVersion
  name: string
  /** Set by QUIT: the connection ends once its replies are written. */
  isEnding: boolean
}

/** What the server as a whole tells its commands. */
export interface ServerState {
  readonly lists: DiskLists
  /** Checks a password; undefined when the server asks for none. */
  readonly isPassword: ((given: string) => boolean) | undefined
  /** Entries that one reply may have. */
  readonly mostEntries: number
  /** Bytes that one reply may have. */
  readonly mostReplyBytes: number
  readonly startedAt: number
  port: number
  connections: number
  commands: number
  refused: number
}

/** What a command is run with. */
export interface CommandContext {
  readonly lists: DiskLists
  readonly session: Session
  readonly server: ServerState
}

/** One command of the protocol. */
export interface RespCommand {
  readonly name: string
  /** Arguments with the name; below zero when there may be more. */
  readonly arity: number
  readonly flags: readonly ('write' | 'readonly' | 'fast' | 'noauth')[]
  /** Where keys are among the arguments, as Redis describes it. */
  readonly keys?: readonly [first: number, last: number, step: number]
  /** @throws {ReplyError} */
  run(args: readonly string[], context: CommandContext): Reply
}

/** The arguments that a command is sure to have, by its arity. */
export function argument(args: readonly string[], index: number): string {
  return args[index] ?? ''
}
