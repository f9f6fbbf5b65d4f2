import { hash, timingSafeEqual } from 'node:crypto'
import type { Collection } from '../model/collection.ts'
import { LapidaryError } from '../model/errors.ts'
import { compareValues } from '../model/facet-values.ts'
import { compareBytes } from '../model/key-text.ts'
import { type Bound, boundPast, type OrderValue, type Position } from '../model/position.ts'
import type { Filter, Query } from '../model/query.ts'

/** `forward` goes on in the query's order, `backward` goes back towards its start. */
export type Direction = 'forward' | 'backward'

/** Tells whether a query's items are read by ascending position in a direction. */
export function isAscending({ order }: Query, direction: Direction): boolean {
  return (order === 'oldest') === (direction === 'forward')
}

/** Returns the bound just past a position in a direction of a query. */
export function boundBeyond(query: Query, direction: Direction, position: Position): Bound {
  return boundPast(position, isAscending(query, direction))
}

/** The bound at which a page begins, and the direction in which it goes on. */
export interface CursorPoint {
  readonly direction: Direction
  readonly bound: Bound
  /** How many items of the query are before the bound, as the pages that led here counted; undefined where they did not count. */
  readonly offset?: number | undefined
  /** The bound at which a ranking goes on: how many entries are before it, and the rank of the last of them. */
  readonly ranked?: Ranked | undefined
}

export interface Ranked {
  readonly before: number
  readonly rank: number
}

/** The part of a collection that a cursor is bound to. */
type Named = Pick<Collection, 'name'> & Partial<Pick<Collection, 'facets'>>

/**
 * Signs and checks cursors: `base64url(version, key id, flags, query digest, offset, order value, id, HMAC)`.
 *
 * A cursor holds no trace of layout or plan, so it outlives a change of either; its length does not depend on the number
 * of sources and is at most 160 characters for collections ordered by time or number.
 */
export interface CursorCodec {
  encode(collection: Named, query: Query, point: CursorPoint): string
  /**
   * @throws {LapidaryError} `cursor_invalid` when it was not made here or was altered, `cursor_mismatch` when it belongs
   * to another query.
   */
  decode(collection: Named, query: Query, cursor: string): CursorPoint
}

/** A counted cursor has an offset; a process that knows no counted cursors refuses this version. */
const VERSION = { plain: 2, counted: 3 } as const
const DIGEST_BYTES = 8
const MAC_BYTES = 16
const HASH_BLOCK_BYTES = 64
const HEADER_BYTES = 3
const BACKWARD = 1
const AFTER = 2
const RANKED = 4
const RANKED_BYTES = 8
/** Three bytes, so that the longest cursor stays within its 160 characters: an offset beyond 16 million is left out. */
const OFFSET_BYTES = 3
const MOST_OFFSET = 2 ** (8 * OFFSET_BYTES) - 1
const NUMBER_BYTES = 8

interface SigningKey {
  readonly id: number
  /** The secret padded for the inner and the outer hash of the HMAC. */
  readonly inner: Buffer
  readonly outer: Buffer
}

/**
 * @param secrets The first signs; all of them verify, so that a secret is rotated by putting the new one in front.
 * @throws {LapidaryError} `declaration_invalid` when a secret is missing or shorter than 16 characters.
 */
export function createCursorCodec(secrets: string | readonly string[]): CursorCodec {
  const given = typeof secrets === 'string' ? [secrets] : [...secrets]
  for (const secret of given) requireLong(secret)
  if (given.length === 0)
    throw new LapidaryError('declaration_invalid', 'cursorSecret is an empty list; give at least one secret')
  let made: readonly SigningKey[] | undefined
  // Hashed with the first cursor, so that the start of a function does not load the hash.
  const keysOf = (): readonly SigningKey[] => {
    made ??= given.map(signingKey)
    return made
  }

  return Object.freeze<CursorCodec>({
    encode(collection, query, { direction, bound, offset, ranked }) {
      const [signer] = keysOf() as [SigningKey]
      const flags =
        (direction === 'backward' ? BACKWARD : 0) | (bound.side === 'after' ? AFTER : 0) | (ranked ? RANKED : 0)
      const counted = offsetBytes(offset)
      const version = counted.length > 0 ? VERSION.counted : VERSION.plain
      const header = Buffer.from([version, signer.id, flags])
      const point = [counted, rankedBytes(ranked), orderBytes(bound.order), Buffer.from(bound.id ?? '')]
      const body = Buffer.concat([header, queryDigest(collection, query), ...point])
      return Buffer.concat([body, mac(signer, body)]).toString('base64url')
    },
    decode(collection, query, cursor) {
      const bytes = Buffer.from(cursor, 'base64url')
      const isWhole = bytes.length > HEADER_BYTES + DIGEST_BYTES + MAC_BYTES
      const isCounted = bytes[0] === VERSION.counted
      if (!isWhole || !(isCounted || bytes[0] === VERSION.plain) || bytes.toString('base64url') !== cursor)
        throw invalidCursor()
      const body = bytes.subarray(0, -MAC_BYTES)
      const signature = bytes.subarray(-MAC_BYTES)
      const signed = keysOf().some((key) => key.id === bytes[1] && timingSafeEqual(mac(key, body), signature))
      if (!signed) throw invalidCursor()
      const digest = body.subarray(HEADER_BYTES, HEADER_BYTES + DIGEST_BYTES)
      if (!digest.equals(queryDigest(collection, query)) && !isSameFilter(collection, query, digest)) {
        throw new LapidaryError(
          'cursor_mismatch',
          'the cursor belongs to another query; send it with the scope, filter, range and order it was given for, or without it to start over',
        )
      }
      const flags = bytes[2] as number
      const isRanked = (flags & RANKED) !== 0
      const after = body.subarray(HEADER_BYTES + DIGEST_BYTES)
      const point = after.subarray(isCounted ? OFFSET_BYTES : 0)
      return {
        direction: (flags & BACKWARD) === 0 ? 'forward' : 'backward',
        bound: boundFrom(point.subarray(isRanked ? RANKED_BYTES : 0), (flags & AFTER) === 0 ? 'before' : 'after'),
        ...(isCounted ? { offset: after.readUIntBE(0, OFFSET_BYTES) } : {}),
        ...(isRanked ? { ranked: { before: point.readUInt32BE(0), rank: point.readUInt32BE(4) } } : {}),
      }
    },
  })
}

function offsetBytes(offset: number | undefined): Buffer {
  if (offset === undefined || offset > MOST_OFFSET) return Buffer.alloc(0)
  const bytes = Buffer.alloc(OFFSET_BYTES)
  bytes.writeUIntBE(offset, 0, OFFSET_BYTES)
  return bytes
}

function rankedBytes(ranked: Ranked | undefined): Buffer {
  if (ranked === undefined) return Buffer.alloc(0)
  const bytes = Buffer.alloc(RANKED_BYTES)
  bytes.writeUInt32BE(ranked.before, 0)
  bytes.writeUInt32BE(ranked.rank, 4)
  return bytes
}

/** Writes a length, then the value: 8 bytes for a number, which has the length 0, or a text in UTF-8. */
function orderBytes(value: OrderValue): Buffer {
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(2 + NUMBER_BYTES)
    bytes.writeDoubleBE(value, 2)
    return bytes
  }
  const text = Buffer.from(value)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(text.length + 1)
  return Buffer.concat([length, text])
}

function boundFrom(bytes: Buffer, side: Bound['side']): Bound {
  const length = bytes.readUInt16BE(0)
  const end = 2 + (length === 0 ? NUMBER_BYTES : length - 1)
  const order = length === 0 ? bytes.readDoubleBE(2) : bytes.subarray(2, end).toString()
  const id = bytes.subarray(end).toString()
  return { order, id: id === '' ? undefined : id, side }
}

function requireLong(secret: unknown): void {
  if (typeof secret !== 'string' || secret.length < 16) {
    throw new LapidaryError(
      'declaration_invalid',
      'a cursorSecret has fewer than 16 characters; give a random one of 32 or more',
    )
  }
}

function signingKey(secret: string): SigningKey {
  const id = hash('sha256', `cursor key id ${secret}`, 'buffer')[0] as number
  const bytes = Buffer.from(secret)
  const block = Buffer.alloc(HASH_BLOCK_BYTES)
  ;(bytes.length > HASH_BLOCK_BYTES ? hash('sha256', bytes, 'buffer') : bytes).copy(block)
  return { id, inner: block.map((byte) => byte ^ 0x36) as Buffer, outer: block.map((byte) => byte ^ 0x5c) as Buffer }
}

/** Computes HMAC-SHA256 (RFC 2104) from its two hashes: `createHmac` takes longer to set up than both hashes take. */
function mac({ inner, outer }: SigningKey, body: Buffer): Buffer {
  const hashed = hash('sha256', Buffer.concat([inner, body]), 'buffer')
  return hash('sha256', Buffer.concat([outer, hashed]), 'buffer').subarray(0, MAC_BYTES)
}

/** Digests what is asked, not how it is answered nor how many items a page has. One page asks for the digest of its query three times. */
function queryDigest({ name }: Named, query: Query): Buffer {
  const known = digests.get(query)
  if (known?.name === name) return known.digest
  const digest = digestOf(name, query, { ...query.where, ...query.whole, ...query.ranges })
  digests.set(query, { name, digest })
  return digest
}

function digestOf(name: string, { scope, alsoIn, also, by, from, to, order }: Query, asked: Filter): Buffer {
  const filter = Object.entries(asked).sort(([a], [b]) => compareBytes(a, b))
  const question = JSON.stringify([
    name,
    alsoIn === undefined ? scope : [scope, ...alsoIn],
    filter,
    from ?? null,
    to ?? null,
    order,
    ...(by === undefined ? [] : [by]),
    ...(also === undefined ? [] : [also]),
  ])
  return hash('sha256', question, 'buffer').subarray(0, DIGEST_BYTES)
}

/** The most open facets for which cursors are compared with all values named and with none. */
const MOST_OPEN = 6

/**
 * Tells whether a cursor belongs to a query. A filter that names all values of a facet is no filter, so a cursor of the one is good for the
 * other; a cursor of one of the values that a range has now is good for the range.
 */
function isSameFilter({ name, facets = {} }: Named, query: Query, digest: Buffer): boolean {
  return [query.where, { ...query.where, ...query.ranges }].some((asked) => {
    const open = Object.entries(facets).flatMap(([facet, { values }]) =>
      values === undefined || Object.hasOwn(asked, facet) ? [] : [[facet, [...values].sort(compareValues)] as const],
    )
    if (open.length > MOST_OPEN) return digest.equals(digestOf(name, query, asked))
    const subsets = Array.from({ length: 2 ** open.length }, (_, bits) => open.filter((__, i) => (bits >> i) % 2 === 1))
    return subsets.some((named) => digest.equals(digestOf(name, query, { ...asked, ...Object.fromEntries(named) })))
  })
}

const digests = new WeakMap<Query, { readonly name: string; readonly digest: Buffer }>()

function invalidCursor(): LapidaryError {
  return new LapidaryError(
    'cursor_invalid',
    'the cursor was altered or was not made by this service; leave it out to start from the first page',
  )
}
