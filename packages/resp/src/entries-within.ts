import type { DiskEntry, ListPiece } from 'lapidary-pages/file'
import type { CommandContext } from './command.ts'
import { failure } from './reply-error.ts'

/** Entries read at a time: a member has at most 64 KiB. */
const ENTRIES_AT_ONCE = 1_000
const NAMES_AT_ONCE = 10
/** The most bytes of a reply beside a member: its length, its score, and the ends of lines. A popped entry must never prove too large to be sent. */
const FRAME_BYTES = 44

/** Counts the bytes that a command gathers before it replies, so that a few long members take no more memory than many short ones. */
export class GatheredBytes {
  readonly #most: number
  #bytes = 0

  constructor(most: number) {
    this.#most = most
  }

  /** @throws {ReplyError} */
  add(text: string): void {
    this.#bytes += text.length + FRAME_BYTES
    if (this.#bytes <= this.#most) return
    throw failure(
      `members and keys of more than ${this.#most} bytes, which is the most that are handled at once; ask for less at a time`,
    )
  }
}

/**
 * Reads entries of a list from one rank to below another. `bytes` has counted what the command has gathered before.
 *
 * @throws {ReplyError} before more is read than one reply may have.
 */
export function entriesWithin(
  list: string,
  start: number,
  end: number,
  { lists, mostReplyBytes }: CommandContext,
  bytes: GatheredBytes = new GatheredBytes(mostReplyBytes),
): DiskEntry[] {
  const entries: DiskEntry[] = []
  for (let from = start; from < end; from += ENTRIES_AT_ONCE) {
    for (const entry of lists.slice(list, from, Math.min(end, from + ENTRIES_AT_ONCE))) {
      bytes.add(entry.member)
      entries.push(entry)
    }
  }
  return entries
}

/** Returns about this many names or members of a walk; fewer where they are so long that a reply would have no room for more. */
export function pieceWithin(
  count: number,
  cursor: number,
  { server, mostReplyBytes }: CommandContext,
  read: (limit: number, from: number) => ListPiece,
): ListPiece {
  const items: string[] = []
  const most = Math.min(count, server.mostEntries)
  let bytes = 0
  let next: number | undefined = cursor
  while (next !== undefined && items.length < most && bytes < mostReplyBytes / 8) {
    const piece: ListPiece = read(Math.min(NAMES_AT_ONCE, most - items.length), next)
    for (const item of piece.items) {
      items.push(item)
      bytes += item.length
    }
    next = piece.next
  }
  return { items, next }
}
