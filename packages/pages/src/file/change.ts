import { LapidaryError, shown } from 'lapidary'
import { type ByteString, requireBytes } from './byte-string.ts'

/** One change of one list. */
export type DiskChange =
  | {
      /** Adds a member, or gives it another score. */
      readonly type: 'set'
      readonly list: ByteString
      readonly member: ByteString
      /** Any double but NaN. */
      readonly score: number
    }
  | { readonly type: 'remove'; readonly list: ByteString; readonly member: ByteString }
  | {
      /** Removes a list with all of its entries. */
      readonly type: 'drop'
      readonly list: ByteString
    }

/** @throws `unprocessable`. */
export function requireChange(change: DiskChange): void {
  requireBytes('the name of a list', change.list)
  if (change.type === 'drop') return
  requireBytes('a member', change.member)
  if (change.type === 'set' && (typeof change.score !== 'number' || Number.isNaN(change.score))) {
    throw new LapidaryError('unprocessable', `the score ${shown(change.score)} of ${shown(change.member)} is no number`)
  }
}

const LIST = 0
const SET = 1
const REMOVE = 2
const DROP = 3
/** In the byte of the kind, a bit of the length: the 16 bits behind it are short of one for a text of 65,536 bytes. */
const LENGTH_BIT = 128
const LENGTH_OF_BIT = 65_536
const FIRST_BYTES = 4096

/** Changes as the log has them: one after the other, the list named where it is another one. */
export class ChangeBuffer {
  #bytes: Buffer = Buffer.allocUnsafe(FIRST_BYTES)
  #length: number
  #list: ByteString | undefined

  /** @param margin Bytes left free in front. */
  constructor(margin: number) {
    this.#length = margin
  }

  get length(): number {
    return this.#length
  }

  add(change: DiskChange): void {
    if (change.list !== this.#list) {
      this.#text(LIST, change.list)
      this.#list = change.list
    }
    if (change.type === 'drop') this.#byte(DROP)
    else if (change.type === 'remove') this.#text(REMOVE, change.member)
    else {
      this.#text(SET, change.member)
      this.#room(8)
      this.#length = this.#bytes.writeDoubleLE(change.score, this.#length)
    }
  }

  /** The margin and the changes. */
  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  #byte(value: number): void {
    this.#room(1)
    this.#bytes[this.#length++] = value
  }

  #text(kind: number, text: ByteString): void {
    this.#room(3 + text.length)
    this.#bytes[this.#length] = text.length < LENGTH_OF_BIT ? kind : kind | LENGTH_BIT
    this.#bytes.writeUInt16LE(text.length % LENGTH_OF_BIT, this.#length + 1)
    this.#bytes.write(text, this.#length + 3, text.length, 'latin1')
    this.#length += 3 + text.length
  }

  #room(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + bytes))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}

/** The changes in some bytes of the log, whose checksum was right. */
export function* changesIn(bytes: Buffer): Generator<DiskChange, undefined> {
  let list = ''
  let at = 0
  const text = (first: number): ByteString => {
    const length = bytes.readUInt16LE(at) + (first & LENGTH_BIT ? LENGTH_OF_BIT : 0)
    at += 2 + length
    return bytes.toString('latin1', at - length, at)
  }
  while (at < bytes.length) {
    const first = bytes[at++] as number
    const kind = first & ~LENGTH_BIT
    if (kind === LIST) list = text(first)
    else if (kind === SET) {
      const member = text(first)
      yield { type: 'set', list, member, score: bytes.readDoubleLE(at) }
      at += 8
    } else if (kind === REMOVE) yield { type: 'remove', list, member: text(first) }
    else if (kind === DROP) yield { type: 'drop', list }
    else throw new RangeError(`a log has a change of kind ${first}`)
  }
}
