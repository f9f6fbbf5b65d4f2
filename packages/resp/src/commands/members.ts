import type { DiskChange } from 'lapidary-pages/file'
import { argument, type CommandContext, change, type RespCommand } from '../command.ts'
import { parseScore } from '../redis-number.ts'
import { array, double, failure, integer, NULL, type Reply } from '../reply.ts'

interface AddOptions {
  readonly onlyNew: boolean
  readonly onlyKnown: boolean
  readonly onlyGreater: boolean
  readonly onlyLess: boolean
  readonly countsChanged: boolean
  readonly isIncrement: boolean
}

interface Added {
  added: number
  changed: number
  /** The last score; undefined when an option kept it from being set. */
  score: number | undefined
}

const isOption = (text: string): boolean =>
  (text.length === 2 || text.length === 4) && /^(NX|XX|GT|LT|CH|INCR)$/i.test(text)

const zadd: RespCommand = {
  name: 'zadd',
  arity: -4,
  flags: ['write', 'fast'],
  keys: [1, 1, 1],
  run(args, context) {
    let at = 2
    if (!isOption(argument(args, at))) return add(args, at, context, PLAIN)
    const given = new Set<string>()
    while (isOption(argument(args, at))) given.add(argument(args, at++).toUpperCase())
    return add(args, at, context, {
      onlyNew: given.has('NX'),
      onlyKnown: given.has('XX'),
      onlyGreater: given.has('GT'),
      onlyLess: given.has('LT'),
      countsChanged: given.has('CH'),
      isIncrement: given.has('INCR'),
    })
  },
}

const PLAIN: AddOptions = {
  onlyNew: false,
  onlyKnown: false,
  onlyGreater: false,
  onlyLess: false,
  countsChanged: false,
  isIncrement: false,
}

const zincrby: RespCommand = {
  name: 'zincrby',
  arity: 4,
  flags: ['write', 'fast'],
  keys: [1, 1, 1],
  run: (args, context) => add(args, 2, context, { ...PLAIN, isIncrement: true }),
}

function add(args: readonly string[], start: number, context: CommandContext, options: AddOptions): Reply {
  const { lists } = context
  const pairs = (args.length - start) / 2
  if (pairs === 0 || !Number.isInteger(pairs)) throw failure('syntax error')
  const { onlyNew, onlyKnown, onlyGreater, onlyLess, countsChanged, isIncrement } = options
  if (onlyNew && onlyKnown) throw failure('XX and NX options at the same time are not compatible')
  if ((onlyGreater && onlyNew) || (onlyLess && onlyNew) || (onlyGreater && onlyLess)) {
    throw failure('GT, LT, and/or NX options at the same time are not compatible')
  }
  if (isIncrement && pairs > 1) throw failure('INCR option supports a single increment-element pair')
  const scores: number[] = []
  for (let at = start; at < args.length; at += 2) {
    const score = parseScore(argument(args, at))
    if (score === undefined) throw failure('value is not a valid float')
    scores.push(score)
  }
  const list = argument(args, 1)
  const result: Added = { added: 0, changed: 0, score: undefined }
  const changes: DiskChange[] = []
  // A member may come twice, and the list does not have the score of its first pair yet.
  const fresh = pairs > 1 ? new Map<string, number>() : undefined
  for (const [i, given] of scores.entries()) {
    const member = argument(args, start + 2 * i + 1)
    const before = fresh?.get(member) ?? lists.score(list, member)
    const score = scoreToSet(before, given, options)
    result.score = score
    if (score === undefined || score === before) continue
    if (before === undefined) result.added++
    else result.changed++
    fresh?.set(member, score)
    // Zero without a sign, as small sets of Redis have it.
    changes.push({ type: 'set', list, member, score: score + 0 })
  }
  if (changes.length > 0) change(context, changes)
  if (isIncrement) return result.score === undefined ? NULL : double(result.score)
  return integer(countsChanged ? result.added + result.changed : result.added)
}

/** Returns the score that a member gets; undefined when an option keeps the old one. */
function scoreToSet(before: number | undefined, given: number, options: AddOptions): number | undefined {
  if (before === undefined) return options.onlyKnown ? undefined : given
  if (options.onlyNew) return undefined
  const score = options.isIncrement ? before + given : given
  if (Number.isNaN(score)) throw failure('resulting score is not a number (NaN)')
  if ((options.onlyLess && score >= before) || (options.onlyGreater && score <= before)) return undefined
  return score
}

const zrem: RespCommand = {
  name: 'zrem',
  arity: -3,
  flags: ['write', 'fast'],
  keys: [1, 1, 1],
  run(args, context) {
    const list = argument(args, 1)
    return integer(
      change(
        context,
        args.slice(2).map((member) => ({ type: 'remove', list, member })),
      ),
    )
  },
}

const zscore: RespCommand = {
  name: 'zscore',
  arity: 3,
  flags: ['readonly', 'fast'],
  keys: [1, 1, 1],
  run: (args, { lists }) => scoreReply(lists.score(argument(args, 1), argument(args, 2))),
}

const zmscore: RespCommand = {
  name: 'zmscore',
  arity: -3,
  flags: ['readonly', 'fast'],
  keys: [1, 1, 1],
  run: (args, { lists }) => array(args.slice(2).map((member) => scoreReply(lists.score(argument(args, 1), member)))),
}

const scoreReply = (score: number | undefined): Reply => (score === undefined ? NULL : double(score))

const zcard: RespCommand = {
  name: 'zcard',
  arity: 2,
  flags: ['readonly', 'fast'],
  keys: [1, 1, 1],
  run: (args, { lists }) => integer(lists.count(argument(args, 1))),
}

function rankCommand(name: string, fromEnd: boolean): RespCommand {
  return {
    name,
    arity: -3,
    flags: ['readonly', 'fast'],
    keys: [1, 1, 1],
    run(args, { lists }) {
      if (args.length > 4) throw failure(`wrong number of arguments for '${name}' command`)
      const withScore = args.length > 3
      if (withScore && args[3]?.toUpperCase() !== 'WITHSCORE') throw failure('syntax error')
      const list = argument(args, 1)
      const member = argument(args, 2)
      const found = lists.find(list, member)
      if (found === undefined) return withScore ? { type: 'null array' } : NULL
      const { rank, score } = found
      const shown = integer(fromEnd ? lists.count(list) - 1 - rank : rank)
      return withScore ? array([shown, double(score)]) : shown
    },
  }
}

export const MEMBER_COMMANDS: readonly RespCommand[] = [
  zadd,
  zincrby,
  zrem,
  zscore,
  zmscore,
  zcard,
  rankCommand('zrank', false),
  rankCommand('zrevrank', true),
]
