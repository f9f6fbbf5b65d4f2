import type { DiskChange, MemberSink } from 'lapidary/page-index/file'
import { argument, type CommandContext, type RespCommand } from '../command.ts'
import { entriesWithin } from '../entries-within.ts'
import { longArgument, memberRange, type RangeOf, type RankRange, rankRange, scoreRange } from '../ranges.ts'
import { parseLong } from '../redis-number.ts'
import { failure, integer, type Reply } from '../reply.ts'

type By = 'rank' | 'score' | 'lex'

interface RangeOptions {
  readonly by: By
  readonly isReverse: boolean
  readonly offset: number
  readonly limit: number
  readonly withScores: boolean
}

/** ZRANGE and those before it, which fix what ZRANGE has options for. */
function rangeCommand(name: string, fixed: { readonly by?: By; readonly isReverse?: boolean } = {}): RespCommand {
  return {
    name,
    arity: -4,
    flags: ['readonly'],
    keys: [1, 1, 1],
    run(args, context) {
      const options = readOptions(args, fixed)
      const [first, second] = [argument(args, 2), argument(args, 3)]
      const swapped = options.isReverse && options.by !== 'rank'
      const range = rangeOf(options.by, swapped ? second : first, swapped ? first : second, options.isReverse)
      return entriesReply(args[1] ?? '', range, options, context)
    },
  }
}

/** @throws {ReplyError} */
function readOptions(args: readonly string[], fixed: { readonly by?: By; readonly isReverse?: boolean }): RangeOptions {
  let { by, isReverse } = fixed
  let [offset, limit, withScores] = [0, -1, false]
  for (let i = 4; i < args.length; i++) {
    const option = argument(args, i).toUpperCase()
    if (option === 'WITHSCORES') withScores = true
    else if (option === 'LIMIT' && i + 2 < args.length) {
      offset = longArgument(argument(args, ++i))
      limit = longArgument(argument(args, ++i))
    } else if (option === 'REV' && isReverse === undefined) isReverse = true
    else if (option === 'BYLEX' && by === undefined) by = 'lex'
    else if (option === 'BYSCORE' && by === undefined) by = 'score'
    else throw failure('syntax error')
  }
  if (limit !== -1 && (by ?? 'rank') === 'rank') {
    throw failure('syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX')
  }
  if (withScores && by === 'lex') {
    throw failure('syntax error, WITHSCORES not supported in combination with BYLEX')
  }
  return { by: by ?? 'rank', isReverse: isReverse ?? false, offset, limit, withScores }
}

function rangeOf(by: By, low: string, high: string, fromEnd: boolean): RangeOf {
  if (by === 'score') return scoreRange(low, high)
  return by === 'lex' ? memberRange(low, high) : rankRange(low, high, fromEnd)
}

function entriesReply(list: string, range: RangeOf, options: RangeOptions, context: CommandContext): Reply {
  const { lists, server } = context
  const { start, end } = limited(range(lists, list), options)
  if (end - start > server.mostEntries) {
    throw failure(`the reply would have ${end - start} members, and at most ${server.mostEntries} are sent at once`)
  }
  if (!options.withScores && !options.isReverse) {
    return { type: 'members', count: end - start, copy: (into) => lists.copyMembers(list, start, end, into) }
  }
  const items = entriesWithin(list, start, end, context)
  if (options.isReverse) items.reverse()
  if (options.withScores) return { type: 'scored', items, isNested: true }
  const copy = (into: MemberSink): void => {
    for (const { member } of items) into.takeText(member)
  }
  return { type: 'members', count: items.length, copy }
}

/** What LIMIT leaves of a range, seen from the end that it is read from. */
function limited({ start, end }: RankRange, { by, isReverse, offset, limit }: RangeOptions): RankRange {
  if (by === 'rank') return { start, end }
  if (offset < 0) return { start, end: start }
  const count = Math.max(0, Math.min(end - start - offset, limit < 0 ? Number.POSITIVE_INFINITY : limit))
  return isReverse
    ? { start: end - offset - count, end: end - offset }
    : { start: start + offset, end: start + offset + count }
}

function countCommand(name: string, by: 'score' | 'lex'): RespCommand {
  return {
    name,
    arity: 4,
    flags: ['readonly', 'fast'],
    keys: [1, 1, 1],
    run(args, { lists }) {
      const { start, end } = rangeOf(by, argument(args, 2), argument(args, 3), false)(lists, argument(args, 1))
      return integer(end - start)
    },
  }
}

function removeCommand(name: string, by: By): RespCommand {
  return {
    name,
    arity: 4,
    flags: ['write'],
    keys: [1, 1, 1],
    run(args, context) {
      const { lists } = context
      const list = argument(args, 1)
      const { start, end } = rangeOf(by, argument(args, 2), argument(args, 3), false)(lists, list)
      const isWhole = isWholeList(list, end - start, context)
      lists.change(isWhole ? [{ type: 'drop', list }] : removals(list, entriesWithin(list, start, end, context)))
      return integer(end - start)
    },
  }
}

/** Members that one command removes of a list that stays: each is a change, and all other clients wait meanwhile. */
const MOST_REMOVED = 100_000

/**
 * Whether so many members are all of a list, which one change drops, whatever its size.
 *
 * @throws {ReplyError} when they are not, and are too many.
 */
function isWholeList(list: string, count: number, { lists, server }: CommandContext): boolean {
  if (count > 0 && count === lists.count(list)) return true
  const most = Math.min(server.mostEntries, MOST_REMOVED)
  if (count > most)
    throw failure(`${count} members would be removed, and at most ${most} are at once; remove fewer at a time`)
  return false
}

function removals(list: string, entries: readonly { readonly member: string }[]): DiskChange[] {
  return entries.map(({ member }) => ({ type: 'remove', list, member }))
}

function popCommand(name: string, fromEnd: boolean): RespCommand {
  return {
    name,
    arity: -2,
    flags: ['write', 'fast'],
    keys: [1, 1, 1],
    run(args, context) {
      const { lists, server } = context
      if (args.length > 3) throw failure('syntax error')
      const given = args[2] === undefined ? 1 : parseLong(args[2])
      if (given === undefined || given < 0) throw failure('value is out of range, must be positive')
      const list = argument(args, 1)
      const count = Math.min(given, lists.count(list))
      if (count > server.mostEntries) throw failure(`at most ${server.mostEntries} members are sent at once`)
      const start = fromEnd ? lists.count(list) - count : 0
      const isWhole = isWholeList(list, count, context)
      const items = entriesWithin(list, start, start + count, context)
      lists.change(isWhole ? [{ type: 'drop', list }] : removals(list, items))
      if (fromEnd) items.reverse()
      return { type: 'scored', items, isNested: args.length === 3 }
    },
  }
}

export const RANGE_COMMANDS: readonly RespCommand[] = [
  rangeCommand('zrange'),
  rangeCommand('zrevrange', { by: 'rank', isReverse: true }),
  rangeCommand('zrangebyscore', { by: 'score', isReverse: false }),
  rangeCommand('zrevrangebyscore', { by: 'score', isReverse: true }),
  rangeCommand('zrangebylex', { by: 'lex', isReverse: false }),
  rangeCommand('zrevrangebylex', { by: 'lex', isReverse: true }),
  countCommand('zcount', 'score'),
  countCommand('zlexcount', 'lex'),
  removeCommand('zremrangebyrank', 'rank'),
  removeCommand('zremrangebyscore', 'score'),
  removeCommand('zremrangebylex', 'lex'),
  popCommand('zpopmin', false),
  popCommand('zpopmax', true),
]
