import type { CommandContext, RespCommand } from '../command.ts'
import { failure, NULL_ARRAY, OK, type Reply, ReplyError } from '../reply.ts'
import { ReplyBuffer } from '../reply-buffer.ts'
import { writeWholeReply } from '../reply-failure.ts'
import { runCommand } from '../run-command.ts'
import { endTransaction, type Transaction, unwatch } from '../transaction.ts'

const multi: RespCommand = {
  name: 'multi',
  arity: 1,
  flags: ['fast', 'unqueued'],
  run(_args, { session }) {
    if (session.transaction !== undefined) throw failure('MULTI calls can not be nested')
    session.transaction = { queued: [], bytes: 0, arguments: 0, isRefused: false }
    return OK
  },
}

const discard: RespCommand = {
  name: 'discard',
  arity: 1,
  flags: ['fast', 'unqueued'],
  run(_args, context) {
    if (context.session.transaction === undefined) throw failure('DISCARD without MULTI')
    endTransaction(context)
    return OK
  },
}

const exec: RespCommand = {
  name: 'exec',
  arity: 1,
  flags: ['unqueued'],
  run(_args, context) {
    const { transaction, watch } = context.session
    if (transaction === undefined) throw failure('EXEC without MULTI')
    endTransaction(context)
    if (transaction.isRefused) throw new ReplyError('EXECABORT Transaction discarded because of previous errors.')
    return watch?.isTouched ? NULL_ARRAY : runQueued(transaction, context)
  },
}

/**
 * Runs the queued commands, all in one turn of the event loop. So nothing happens in between, and all changes are in one frame of the log: after
 * a crash all of them are there, or none. Each reply is written at once, since later commands change what it would read. The replies stay in
 * memory until then, so together they have as many bytes of entries as one reply may have.
 */
function runQueued({ queued }: Transaction, outer: CommandContext): Reply {
  const { server, session } = outer
  const context: CommandContext = { ...outer, mayWait: false }
  const out = new ReplyBuffer()
  for (const { command, args } of queued) {
    context.mostReplyBytes = Math.max(0, outer.mostReplyBytes - out.length)
    const reply = runCommand(command, args, context, server.statistics.useOf(command))
    // Replies without members were counted when they were read, and a number always has to fit.
    out.limitTo(reply.type === 'members' ? context.mostReplyBytes : Number.POSITIVE_INFINITY)
    writeWholeReply(out, reply, session.version)
  }
  return { type: 'written', count: queued.length, bytes: out.take() }
}

const watch: RespCommand = {
  name: 'watch',
  arity: -2,
  flags: ['fast', 'unqueued'],
  keys: [1, -1, 1],
  run(args, { server, session }) {
    if (session.transaction !== undefined) throw failure('WATCH inside MULTI is not allowed')
    session.watch ??= { lists: new Set(), bytes: 0, isTouched: false }
    for (const list of args.slice(1)) {
      const { bytes, arguments: lists } = server.mostQueued
      if (session.watch.lists.size >= lists || session.watch.bytes + list.length > bytes) {
        throw failure(`a client watches at most ${lists} keys of ${bytes} bytes together; send UNWATCH`)
      }
      server.watched.add(session.watch, list)
    }
    return OK
  },
}

const unwatchCommand: RespCommand = {
  name: 'unwatch',
  arity: 1,
  flags: ['fast'],
  run(_args, context) {
    unwatch(context)
    return OK
  },
}

export const TRANSACTION_COMMANDS: readonly RespCommand[] = [multi, exec, discard, watch, unwatchCommand]
