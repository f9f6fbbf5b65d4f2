import { argument, type CommandContext, change, type RespCommand } from '../command.ts'
import { entriesWithin } from '../entries-within.ts'
import { timeoutArgument } from '../ranges.ts'
import { parseLong } from '../redis-number.ts'
import { isWholeList, removals } from '../removal.ts'
import { array, bulk, double, failure, NULL_ARRAY, type Reply, type ScoredMember, WAITING } from '../reply.ts'

/** Takes entries out of a list, at most so many, from its beginning or its end. */
function pop(list: string, fromEnd: boolean, most: number, context: CommandContext): readonly ScoredMember[] {
  const { lists, server } = context
  const length = lists.count(list)
  const count = Math.min(most, length)
  if (count > server.mostEntries) throw failure(`at most ${server.mostEntries} members are sent at once`)
  if (count === 0) return []
  const isWhole = isWholeList(list, count, context)
  const start = fromEnd ? length - count : 0
  const items = entriesWithin(list, start, start + count, context)
  change(context, isWhole ? [{ type: 'drop', list }] : removals(list, items))
  return fromEnd ? items.reverse() : items
}

function popCommand(name: string, fromEnd: boolean): RespCommand {
  return {
    name,
    arity: -2,
    flags: ['write', 'fast'],
    keys: [1, 1, 1],
    run(args, context) {
      if (args.length > 3) throw failure('syntax error')
      const count = args[2] === undefined ? 1 : parseLong(args[2])
      if (count === undefined || count < 0) throw failure('value is out of range, must be positive')
      return { type: 'scored', items: pop(argument(args, 1), fromEnd, count, context), isNested: args.length === 3 }
    },
  }
}

/** A pop from the first of some lists that has entries. */
interface PopOfFirst {
  readonly lists: readonly string[]
  readonly fromEnd: boolean
  readonly count: number
  readonly reply: (list: string, items: readonly ScoredMember[]) => Reply
}

const nested = (list: string, items: readonly ScoredMember[]): Reply =>
  array([bulk(list), array(items.map(({ member, score }) => array([bulk(member), double(score)])))])

const flat = (list: string, items: readonly ScoredMember[]): Reply =>
  array([bulk(list), ...items.flatMap(({ member, score }) => [bulk(member), double(score)])])

/** Pops; undefined when all of the lists are empty. */
function popOfFirst({ lists, fromEnd, count, reply }: PopOfFirst, context: CommandContext): Reply | undefined {
  const list = lists.find((name) => context.lists.count(name) > 0)
  return list === undefined ? undefined : reply(list, pop(list, fromEnd, count, context))
}

/** Pops, or waits until one of the lists has entries; `timeout` is in seconds. */
function popOrWait(asked: PopOfFirst, timeout: string, context: CommandContext): Reply {
  const milliseconds = timeoutArgument(timeout)
  const attempt = (): Reply | undefined => popOfFirst(asked, context)
  const now = attempt()
  if (now !== undefined) return now
  const { session, server } = context
  // The time counts as up at once inside a transaction, and for a client that may be gone already.
  if (!context.mayWait || session.isSaid) return NULL_ARRAY
  server.waiting.add(session, { lists: asked.lists, attempt, none: NULL_ARRAY, timeout: milliseconds })
  return WAITING
}

/** Reads the arguments after the timeout of BZMPOP, or after the name of ZMPOP. */
function readMultiPop(args: readonly string[], start: number): PopOfFirst {
  const keys = parseLong(argument(args, start))
  if (keys === undefined || keys < 1) throw failure('numkeys should be greater than 0')
  const end = start + 1 + keys
  const side = args[end]?.toUpperCase()
  if (side !== 'MIN' && side !== 'MAX') throw failure('syntax error')
  let count: number | undefined
  for (let i = end + 1; i < args.length; i += 2) {
    if (count !== undefined || argument(args, i).toUpperCase() !== 'COUNT' || args[i + 1] === undefined) {
      throw failure('syntax error')
    }
    count = parseLong(argument(args, i + 1))
    if (count === undefined || count < 1) throw failure('count should be greater than 0')
  }
  return { lists: args.slice(start + 1, end), fromEnd: side === 'MAX', count: count ?? 1, reply: nested }
}

const zmpop: RespCommand = {
  name: 'zmpop',
  arity: -4,
  flags: ['write'],
  run: (args, context) => popOfFirst(readMultiPop(args, 1), context) ?? NULL_ARRAY,
}

const bzmpop: RespCommand = {
  name: 'bzmpop',
  arity: -5,
  flags: ['write', 'blocking'],
  run: (args, context) => popOrWait(readMultiPop(args, 2), argument(args, 1), context),
}

function waitingPopCommand(name: string, fromEnd: boolean): RespCommand {
  return {
    name,
    arity: -3,
    flags: ['write', 'fast', 'blocking'],
    keys: [1, -2, 1],
    run: (args, context) =>
      popOrWait({ lists: args.slice(1, -1), fromEnd, count: 1, reply: flat }, args.at(-1) ?? '', context),
  }
}

export const POP_COMMANDS: readonly RespCommand[] = [
  popCommand('zpopmin', false),
  popCommand('zpopmax', true),
  zmpop,
  waitingPopCommand('bzpopmin', false),
  waitingPopCommand('bzpopmax', true),
  bzmpop,
]
