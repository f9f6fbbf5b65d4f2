import { LapidaryError } from 'lapidary-pages/file'
import { type ProtocolVersion, type Reply, ReplyError, writeReply } from './reply.ts'
import type { ReplyBuffer } from './reply-buffer.ts'

/** Returns a function's reply, or its error as a reply. An error that is neither a command's nor the store's is thrown on. */
export function replyOf<T extends Reply | undefined>(run: () => T): T | Reply {
  try {
    return run()
  } catch (error) {
    return failureReply(error)
  }
}

/** @throws an error that is neither a command's nor the store's. */
export function failureReply(error: unknown): Reply {
  if (error instanceof ReplyError) return { type: 'error', text: error.message }
  if (error instanceof LapidaryError) return storeFailure(error)
  throw error
}

/** Turns an error of the store into a reply. */
export function storeFailure({ code, message }: LapidaryError): Reply {
  return { type: 'error', text: code === 'unavailable' ? `MISCONF ${message}` : `ERR ${message}` }
}

/** Appends a reply; where its members can't be read, only the error. */
export function writeWholeReply(out: ReplyBuffer, reply: Reply, version: ProtocolVersion): void {
  const before = out.length
  try {
    writeReply(out, reply, version)
    out.requireRoom()
  } catch (error) {
    out.cut(before)
    out.limitTo(Number.POSITIVE_INFINITY)
    writeReply(out, failureReply(error), version)
  }
}
