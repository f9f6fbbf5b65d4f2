import type { DiskChange } from 'lapidary-pages/file'
import { type CommandContext, mostChanged } from './command.ts'
import { failure } from './reply.ts'

/**
 * Tells whether this many members are the whole of a list, which one change drops, whatever its size.
 *
 * @throws {ReplyError} when they are not, and are too many to be removed at once.
 */
export function isWholeList(list: string, count: number, context: CommandContext): boolean {
  if (count > 0 && count === context.lists.count(list)) return true
  const most = mostChanged(context)
  if (count > most) {
    throw failure(`${count} members would be removed, and at most ${most} are at once; remove fewer at a time`)
  }
  return false
}

export function removals(list: string, entries: readonly { readonly member: string }[]): DiskChange[] {
  return entries.map(({ member }) => ({ type: 'remove', list, member }))
}
