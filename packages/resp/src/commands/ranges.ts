import type { MemberSink } from 'lapidary-pages/file'
import { argument, type CommandContext, change, type RespCommand } from '../command.ts'
import { entriesWithin } from '../entries-within.ts'
import { longArgument, memberRange, type RangeOf, type RankRange, rankRange, scoreRange } from '../ranges.ts'
import { isWholeList, removals } from '../removal.ts'
import { failure, integer, type Reply } from '../reply.ts'
import { requireStorableCount, storeList } from '../stored-list.ts'

type By = 'rank' | 'score' | 'lex'

interface Fixed {
  readonly by?: By
  readonly isReverse?: boolean
}

interface RangeOptions {
  readonly by: By
  readonly isReverse: boolean
  readonly offset: number
  readonly limit: number
  readonly withScores: boolean
}

/** Makes ZRANGE, or an older command, which fixes some of ZRANGE's options. */
function rangeCommand(name: string, fixed: Fixed = {}): RespCommand {
  return {
    name,
    arity: -4,
    flags: ['readonly'],
    keys: [1, 1, 1],
    run(args, context) {
      const options = readRangeOptions(args, 4, fixed)
      const range = askedRange(argument(args, 2), argument(args, 3), options)
      return entriesReply(argument(args, 1), range, options, context)
    },
  }
}

const zrangestore: RespCommand = {
  name: 'zrangestore',
  arity: -5,
  flags: ['write'],
  keys: [1, 2, 1],
  run(args, context) {
    const options = readRangeOptions(args, 5, { storesScores: true })
    const list = argument(args, 2)
    const range = askedRange(argument(args, 3), argument(args, 4), options)
    const { start, end } = limited(range(context.lists, list), options)
    requireStorableCount(end - start, context)
    return storeList(argument(args, 1), entriesWithin(list, start, end, context), context)
  },
}

/** @throws {ReplyError} */
function readRangeOptions(
  args: readonly string[],
  start: number,
  fixed: Fixed & { readonly storesScores?: boolean },
): RangeOptions {
  let { by, isReverse } = fixed
  let [offset, limit, withScores] = [0, -1, false]
  for (let i = start; i < args.length; i++) {
    const option = argument(args, i).toUpperCase()
    if (option === 'WITHSCORES' && !fixed.storesScores) withScores = true
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

/** Reads the range between two bounds; the higher one comes first where the list is read from the end. */
function askedRange(first: string, second: string, { by, isReverse }: RangeOptions): RangeOf {
  return isReverse && by !== 'rank' ? boundedRange(by, second, first, true) : boundedRange(by, first, second, isReverse)
}

function boundedRange(by: By, low: string, high: string, fromEnd: boolean): RangeOf {
  if (by === 'score') return scoreRange(low, high)
  return by === 'lex' ? memberRange(low, high, fromEnd) : rankRange(low, high, fromEnd)
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

/** Applies LIMIT to a range, counted from the end that it is read from. */
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
      const { start, end } = boundedRange(by, argument(args, 2), argument(args, 3), false)(lists, argument(args, 1))
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
      const { start, end } = boundedRange(by, argument(args, 2), argument(args, 3), false)(lists, list)
      const isWhole = isWholeList(list, end - start, context)
      change(context, isWhole ? [{ type: 'drop', list }] : removals(list, entriesWithin(list, start, end, context)))
      return integer(end - start)
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
  zrangestore,
  countCommand('zcount', 'score'),
  countCommand('zlexcount', 'lex'),
  removeCommand('zremrangebyrank', 'rank'),
  removeCommand('zremrangebyscore', 'score'),
  removeCommand('zremrangebylex', 'lex'),
]
