import type { MemberSink } from 'lapidary-pages/file'
import { formatScore } from './redis-number.ts'
import { isShort, type ReplyBuffer } from './reply-buffer.ts'

export { failure, ReplyError } from './reply-error.ts'

/** The version of the protocol that a client has asked for. */
export type ProtocolVersion = 2 | 3

/** The answer of a command; the protocol decides its form on the wire. */
export type Reply =
  | { readonly type: 'status'; readonly text: string }
  | { readonly type: 'error'; readonly text: string }
  | { readonly type: 'integer'; readonly value: number }
  | { readonly type: 'bulk'; readonly bytes: string }
  | { readonly type: 'verbatim'; readonly bytes: string }
  | { readonly type: 'double'; readonly value: number }
  | { readonly type: 'null' }
  | { readonly type: 'null array' }
  | { readonly type: 'array'; readonly items: readonly Reply[] }
  | { readonly type: 'map'; readonly entries: readonly (readonly [Reply, Reply])[] }
  | { readonly type: 'set'; readonly items: readonly Reply[] }
  /** So many members without their scores, which come when they are written. */
  | { readonly type: 'members'; readonly count: number; readonly copy: (into: MemberSink) => void }
  /** Members with their scores: one after the other, or each with its own, as the protocol has it. */
  | { readonly type: 'scored'; readonly items: readonly ScoredMember[]; readonly isNested: boolean }
  /** So many replies as they are on the wire. */
  | { readonly type: 'written'; readonly count: number; readonly bytes: Buffer }
  /** Nothing: the client wants no reply. */
  | { readonly type: 'none' }
  /** Nothing yet: the client waits, and no other command of it is run until then. */
  | { readonly type: 'waiting' }

export interface ScoredMember {
  readonly member: string
  readonly score: number
}

export const OK: Reply = { type: 'status', text: 'OK' }
export const NONE: Reply = { type: 'none' }
export const NULL_ARRAY: Reply = { type: 'null array' }
export const WAITING: Reply = { type: 'waiting' }
export const NULL: Reply = { type: 'null' }
export const status = (text: string): Reply => ({ type: 'status', text })
export const integer = (value: number): Reply => ({ type: 'integer', value })
export const bulk = (bytes: string): Reply => ({ type: 'bulk', bytes })
export const array = (items: readonly Reply[]): Reply => ({ type: 'array', items })
export const double = (value: number): Reply => ({ type: 'double', value })

const [STAR, COLON, PERCENT, TILDE, EQUALS] = [42, 58, 37, 126, 61] as const

/**
 * Appends a reply as it is on the wire.
 *
 * @throws the error of a read of its members.
 */
export function writeReply(out: ReplyBuffer, reply: Reply, version: ProtocolVersion): void {
  switch (reply.type) {
    case 'status':
      writeLine(out, `+${reply.text}`)
      break
    case 'error':
      writeLine(out, `-${reply.text.replace(/[\r\n]/g, ' ')}`)
      break
    case 'integer':
      out.line(COLON, reply.value)
      break
    case 'bulk':
      out.takeText(reply.bytes)
      break
    case 'verbatim':
      if (version === 3) out.line(EQUALS, reply.bytes.length + 4)
      if (version === 3) writeLine(out, `txt:${reply.bytes}`)
      else out.takeText(reply.bytes)
      break
    case 'double':
      writeScore(out, reply.value, version)
      break
    case 'null':
      writeLine(out, version === 3 ? '_' : '$-1')
      break
    case 'null array':
      writeLine(out, version === 3 ? '_' : '*-1')
      break
    case 'array':
    case 'set':
      out.line(version === 3 && reply.type === 'set' ? TILDE : STAR, reply.items.length)
      writeAll(out, reply.items, version)
      break
    case 'map':
      if (version === 3) out.line(PERCENT, reply.entries.length)
      else out.line(STAR, reply.entries.length * 2)
      writeAll(out, reply.entries.flat(), version)
      break
    case 'members':
      out.line(STAR, reply.count)
      reply.copy(out)
      break
    case 'scored': {
      const isNested = reply.isNested && version === 3
      out.line(STAR, isNested ? reply.items.length : reply.items.length * 2)
      for (const { member, score } of reply.items) {
        if (isNested) out.line(STAR, 2)
        out.takeText(member)
        writeScore(out, score, version)
      }
      break
    }
    case 'written':
      out.line(STAR, reply.count)
      out.bytes(reply.bytes)
      break
    // Nothing is sent.
    case 'none':
    case 'waiting':
  }
}

function writeLine(out: ReplyBuffer, text: string): void {
  out.text(text)
  out.end()
}

function writeScore(out: ReplyBuffer, score: number, version: ProtocolVersion): void {
  if (version === 3) writeLine(out, `,${formatScore(score)}`)
  else if (isShort(score)) out.takeDigits(score)
  else out.takeText(formatScore(score))
}

function writeAll(out: ReplyBuffer, items: readonly Reply[], version: ProtocolVersion): void {
  for (const item of items) writeReply(out, item, version)
}
