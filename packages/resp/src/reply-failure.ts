import { LapidaryError } from 'lapidary/page-index/file'
import { type ProtocolVersion, type Reply, ReplyError, writeReply } from './reply.ts'
import type { ReplyBuffer } from './reply-buffer.ts'

/** Returns a function's reply, or its error as one. An error that is neither of a command nor of the store is thrown on. */
export function replyOf<T extends Reply | undefined>(run: () => T): T | Reply {
  try {
    return run()
  } catch (error) {
    return failureReply(error)
  }
}

/** @throws What is no error of a command or of the store. */
export function failureReply(error: unknown): Reply {
  if (error instanceof ReplyError) return { type: 'error', text: error.message }
  if (error instanceof LapidaryError) return storeFailure(error)
  throw error
}

/** Makes a reply of an error of the store. */
export function storeFailure({ code, message }: LapidaryError): Reply {
  return { type: 'error', text: code === 'unavailable' ? `MISCONF ${message}` : `ERR ${message}` }
}

/** Appends a reply, or what is wrong alone when its members can't be read. */
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
