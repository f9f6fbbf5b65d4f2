import type { DiskChange } from 'lapidary-pages/file'
import { type CommandContext, change, mostChanged } from './command.ts'
import { failure, integer, type Reply, type ScoredMember } from './reply.ts'

/**
 * Replaces the entries of a list, or makes it, in one step.
 *
 * @throws {ReplyError} when there are too many.
 */
export function storeList(list: string, entries: readonly ScoredMember[], context: CommandContext): Reply {
  requireStorableCount(entries.length, context)
  const before: DiskChange[] = context.lists.count(list) > 0 ? [{ type: 'drop', list }] : []
  change(context, [...before, ...additions(list, entries)])
  return integer(entries.length)
}

export function additions(list: string, entries: readonly ScoredMember[]): DiskChange[] {
  // Zero is kept without a sign.
  return entries.map(({ member, score }) => ({ type: 'set', list, member, score: score + 0 }))
}

/** @throws {ReplyError} */
export function requireStorableCount(count: number, context: CommandContext): void {
  const most = mostChanged(context)
  if (count > most) throw failure(`${count} members would be stored, and at most ${most} are at once`)
}
