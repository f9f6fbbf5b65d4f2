import { argument, type CommandContext, mostChanged, type RespCommand } from '../command.ts'
import { entriesWithin, GatheredBytes } from '../entries-within.ts'
import { parseLong } from '../redis-number.ts'
import { bulk, failure, NULL, type Reply, type ScoredMember } from '../reply.ts'

const zrandmember: RespCommand = {
  name: 'zrandmember',
  arity: -2,
  flags: ['readonly'],
  keys: [1, 1, 1],
  run(args, context) {
    const { lists } = context
    const list = argument(args, 1)
    const size = lists.count(list)
    if (args[2] === undefined) return size === 0 ? NULL : bulk(lists.at(list, randomBelow(size))?.member ?? '')
    const { count, withScores } = readDrawOptions(args)
    const items = count < 0 ? anyMembers(list, size === 0 ? 0 : -count, context) : distinct(list, count, context)
    return membersReply(items, withScores)
  },
}

const MOST_LONG = 2 ** 63

/** @throws {ReplyError} */
function readDrawOptions(args: readonly string[]): { readonly count: number; readonly withScores: boolean } {
  const count = parseLong(argument(args, 2))
  if (count === undefined) throw failure('value is not an integer or out of range')
  // The least number of 64 bits has no opposite.
  if (args[2] === String(-(2n ** 63n))) {
    throw failure('value is out of range, value must between -9223372036854775807 and 9223372036854775807')
  }
  const withScores = args[3] !== undefined
  if (args.length > 4 || (withScores && argument(args, 3).toUpperCase() !== 'WITHSCORES')) throw failure('syntax error')
  if (withScores && Math.abs(count) > MOST_LONG / 2) throw failure('value is out of range')
  return { count, withScores }
}

/** Draws up to this many of the entries, each at most once. */
function distinct(list: string, most: number, context: CommandContext): readonly ScoredMember[] {
  const size = context.lists.count(list)
  const { mostEntries } = context.server
  if (most < size) return membersAt(list, distinctNumbers(size, requireCount(most, context)), context)
  if (size > mostEntries)
    throw failure(`the reply would have ${size} members, and at most ${mostEntries} are sent at once`)
  return entriesWithin(list, 0, size, context)
}

/** Draws this many entries, each from all of them. */
function anyMembers(list: string, count: number, context: CommandContext): readonly ScoredMember[] {
  const size = context.lists.count(list)
  const ranks = Array.from({ length: requireCount(count, context) }, () => randomBelow(size))
  return membersAt(list, ranks, context)
}

function membersAt(list: string, ranks: Iterable<number>, context: CommandContext): readonly ScoredMember[] {
  const bytes = new GatheredBytes(context.mostReplyBytes)
  const found: ScoredMember[] = []
  for (const rank of ranks) {
    const entry = context.lists.at(list, rank)
    if (entry === undefined) continue
    bytes.add(entry.member)
    found.push(entry)
  }
  return found
}

/** Draws this many different numbers from 0 to below another: Floyd's way needs no more draws than that. */
function distinctNumbers(below: number, count: number): Iterable<number> {
  const drawn = new Set<number>()
  for (let last = below - count; last < below; last++) {
    const number = randomBelow(last + 1)
    drawn.add(drawn.has(number) ? last : number)
  }
  return drawn
}

/** Refuses a count that is too large: each entry is looked up by its rank. @throws {ReplyError} */
function requireCount(count: number, context: CommandContext): number {
  const most = mostChanged(context)
  if (count > most) throw failure(`${count} random members were asked for, and at most ${most} are sent at once`)
  return count
}

function membersReply(items: readonly ScoredMember[], withScores: boolean): Reply {
  if (withScores) return { type: 'scored', items, isNested: true }
  return {
    type: 'members',
    count: items.length,
    copy: (into) => {
      for (const { member } of items) into.takeText(member)
    },
  }
}

function randomBelow(end: number): number {
  return Math.floor(Math.random() * end)
}

export const RANDOM_COMMANDS: readonly RespCommand[] = [zrandmember]
