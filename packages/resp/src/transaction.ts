import type { CommandContext, RespCommand } from './command.ts'
import { ReplyError } from './reply.ts'
import type { Session } from './session.ts'

/** The commands that a client has queued since MULTI. */
export interface Transaction {
  readonly queued: { readonly command: RespCommand; readonly args: readonly string[] }[]
  /** The bytes of all arguments, and their number. */
  bytes: number
  arguments: number
  /** Whether a command was refused: EXEC then runs none of them. */
  isRefused: boolean
}

/**
 * Queues a command until EXEC. Once a command was refused the queue keeps no more.
 *
 * @throws {ReplyError} when the queue is full.
 */
export function enqueue(
  transaction: Transaction,
  command: RespCommand,
  args: readonly string[],
  { server, session }: CommandContext,
): void {
  if (transaction.isRefused || session.watch?.isTouched) return
  for (const { length } of args) transaction.bytes += length
  transaction.arguments += args.length
  const most = server.mostQueued
  if (transaction.bytes > most.bytes || transaction.arguments > most.arguments) {
    throw new ReplyError(
      `ERR the commands of a transaction have at most ${most.bytes} bytes and ${most.arguments} arguments; send fewer at a time`,
    )
  }
  transaction.queued.push({ command, args })
}

/** Makes EXEC run nothing of a transaction in which a command was refused, and drops the queue. */
export function refuseTransaction({ transaction }: Session): void {
  if (transaction === undefined) return
  transaction.isRefused = true
  transaction.queued.length = 0
}

/** Ends a transaction, and the watches for it. */
export function endTransaction(context: CommandContext): void {
  context.session.transaction = undefined
  unwatch(context)
}

export function unwatch({ server, session }: Pick<CommandContext, 'server' | 'session'>): void {
  if (session.watch !== undefined) server.watched.remove(session.watch)
  session.watch = undefined
}
