import type { ByteString } from './byte-string.ts'
import { firstByHash } from './hash-search.ts'
import { type HashKey, keyedHash } from './keyed-hash.ts'

/** Above every hash. */
export const END_OF_HASHES: number = 2 ** 32

export interface Hashed {
  readonly hash: number
  readonly text: ByteString
}

/**
 * All texts whose hashes are from some hash on and below `end`. Hashes stay while entries come and go, so pieces that follow each other by
 * `end` have everything that was there throughout.
 */
export interface HashPiece {
  readonly texts: readonly Hashed[]
  readonly end: number
}

/** Texts in the order of their hashes. */
export function hashOrder(key: HashKey, texts: Iterable<ByteString>): readonly Hashed[] {
  return Array.from(texts, (text) => ({ hash: keyedHash(key, text), text })).sort((a, b) => a.hash - b.hash)
}

/** A piece with about so many of some texts in the order of their hashes. */
export function takeByHash(texts: readonly Hashed[], from: number, limit: number): HashPiece {
  const at = (index: number): Hashed => texts[index] as Hashed
  const start = firstByHash(from, texts.length, (index) => at(index).hash)
  return pieceByHash(start, texts.length, limit, at)
}

/** A piece that begins at an index, and ends between different hashes. */
export function pieceByHash(start: number, count: number, limit: number, at: (index: number) => Hashed): HashPiece {
  const texts: Hashed[] = []
  for (let index = start; index < count; index++) {
    const next = at(index)
    if (texts.length >= limit && texts.at(-1)?.hash !== next.hash) return { texts, end: next.hash }
    texts.push(next)
  }
  return { texts, end: END_OF_HASHES }
}

/** Joins pieces with the same beginning up to where the first of them ends, each text once. */
export function joined(pieces: readonly HashPiece[]): HashPiece {
  const end = Math.min(...pieces.map((piece) => piece.end))
  const texts = new Map<ByteString, Hashed>()
  for (const piece of pieces) for (const one of piece.texts) if (one.hash < end) texts.set(one.text, one)
  return { texts: [...texts.values()].sort((a, b) => a.hash - b.hash), end }
}
