import { type ByteString, bytesOf, textOf } from './byte-string.ts'
import type { ChangingLists, DiskListsView } from './disk-list.ts'
import type { ListNames } from './list-names.ts'
import { newestOf, setNewest } from './phase.ts'

/** How far a shard is taken in. */
export interface ShardMark {
  readonly sequenceNumber: string
  /** When that change was made, in milliseconds since 1970; 0 where the stream does not tell. */
  readonly at: number
}

interface WrittenMark extends ShardMark {
  readonly shardId: string
  readonly member: ByteString
}

/** For how long a process that stands still may come back with changes that are in already: longer than a stream keeps them. */
const KEPT_MS = 7 * 86_400_000
const SEPARATOR = '\u0000'

export function markOf(lists: DiskListsView, names: ListNames, shardId: string): WrittenMark | undefined {
  const marks = lists.list(names.marks)
  const rank = marks.rank(0, bytesOf(`${shardId}${SEPARATOR}`))
  const mark = rank < marks.count ? markFrom(marks.at(rank).member) : undefined
  return mark?.shardId === shardId ? mark : undefined
}

/**
 * Moves the mark of a shard. With the first of a shard those go whose change is a week older than the newest that is in, so there are
 * no more than a week has shards.
 */
export function moveMark(lists: ChangingLists, names: ListNames, shardId: string, mark: ShardMark): void {
  const before = markOf(lists, names, shardId)
  for (const { member } of before === undefined ? expiredIn(lists, names) : [before]) {
    lists.change({ type: 'remove', list: names.marks, member })
  }
  const member = bytesOf([shardId, mark.sequenceNumber, mark.at].join(SEPARATOR))
  lists.change({ type: 'set', list: names.marks, member, score: 0 })
  setNewest(lists, names, mark.at)
}

function expiredIn(lists: DiskListsView, names: ListNames): readonly WrittenMark[] {
  const marks = lists.list(names.marks)
  const until = (newestOf(lists, names) ?? 0) - KEPT_MS
  return marks
    .slice(0, marks.count)
    .map(({ member }) => markFrom(member))
    .filter(({ at }) => at < until)
}

/** Marks that older versions wrote have no time. */
function markFrom(member: ByteString): WrittenMark {
  const [shardId = '', sequenceNumber = '', at = '0'] = textOf(member).split(SEPARATOR)
  return { member, shardId, sequenceNumber, at: Number(at) }
}
