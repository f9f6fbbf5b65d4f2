import { argument, type CommandContext, mostChanged, type RespCommand } from '../command.ts'
import { entriesWithin, GatheredBytes } from '../entries-within.ts'
import { longArgument } from '../ranges.ts'
import { parseLong, parseScore } from '../redis-number.ts'
import { failure, integer, type Reply, type ScoredMember } from '../reply.ts'
import { storeList } from '../stored-list.ts'

type Kind = 'union' | 'inter' | 'diff'

const AGGREGATES = {
  sum: (a: number, b: number) => orZero(a + b),
  min: (a: number, b: number) => (b < a ? b : a),
  max: (a: number, b: number) => (b > a ? b : a),
} as const

/** Infinities that cancel each other give 0. */
const orZero = (value: number): number => (Number.isNaN(value) ? 0 : value)

interface Source {
  readonly list: string
  readonly count: number
  readonly weight: number
}

interface Combination {
  readonly kind: Kind
  readonly sources: readonly Source[]
  readonly aggregate: (a: number, b: number) => number
  readonly withScores: boolean
  /** The number of members after which ZINTERCARD stops counting. */
  readonly limit: number
}

/** The options that a command takes behind its keys. */
interface Taken {
  readonly withScores?: boolean
  readonly limit?: boolean
  readonly weights?: boolean
}

/** @throws {ReplyError} */
function readCombination(
  name: string,
  kind: Kind,
  args: readonly string[],
  start: number,
  taken: Taken,
  { lists }: CommandContext,
): Combination {
  const keys = longArgument(argument(args, start))
  if (keys < 1) throw failure(`at least 1 input key is needed for '${name}' command`)
  if (keys > args.length - start - 1) throw failure('syntax error')
  const names = args.slice(start + 1, start + 1 + keys)
  let weights: readonly number[] = []
  let aggregate: Combination['aggregate'] = AGGREGATES.sum
  let [withScores, limit] = [false, 0]
  for (let i = start + 1 + keys; i < args.length; i++) {
    const option = argument(args, i).toLowerCase()
    const value = args[i + 1]
    if (option === 'weights' && taken.weights && args.length - i > keys) {
      weights = args.slice(i + 1, i + 1 + keys).map(weightArgument)
      i += keys
    } else if (option === 'aggregate' && taken.weights && value !== undefined) {
      aggregate = aggregateArgument(value)
      i++
    } else if (option === 'withscores' && taken.withScores) withScores = true
    else if (option === 'limit' && taken.limit && value !== undefined) {
      const given = parseLong(value)
      if (given === undefined || given < 0) throw failure("LIMIT can't be negative")
      limit = given
      i++
    } else throw failure('syntax error')
  }
  const sources = names.map((list, i): Source => ({ list, count: lists.count(list), weight: weights[i] ?? 1 }))
  // Sorted from the smallest on, as in Redis: scores are added up in this order.
  if (kind !== 'diff') sources.sort((a, b) => a.count - b.count)
  return { kind, sources, aggregate, withScores, limit }
}

function weightArgument(text: string): number {
  const weight = parseScore(text)
  if (weight === undefined) throw failure('weight value is not a float')
  return weight
}

function aggregateArgument(text: string): Combination['aggregate'] {
  const found = Object.entries(AGGREGATES).find(([name]) => name === text.toLowerCase())
  if (found === undefined) throw failure('syntax error')
  return found[1]
}

/** Returns the members of a combination, in order. */
function combined(combination: Combination, context: CommandContext): readonly ScoredMember[] {
  requireSmall(combination, context)
  const bytes = new GatheredBytes(context.mostReplyBytes)
  const scores = { union, inter, diff }[combination.kind](combination, context, bytes)
  const entries = Array.from(scores, ([member, score]): ScoredMember => ({ member, score }))
  return entries.sort((a, b) => a.score - b.score || (a.member < b.member ? -1 : 1))
}

/**
 * Refuses lists with too many entries: the command looks at them one by one, and all other clients wait meanwhile.
 *
 * @throws {ReplyError}
 */
function requireSmall({ kind, sources }: Combination, context: CommandContext): void {
  const first = sources[0]?.count ?? 0
  let looked = 0
  for (const { count } of sources) looked += kind === 'union' ? count : Math.min(count, first)
  const most = mostChanged(context)
  if (looked > most) throw failure(`${looked} entries would be looked at, and at most ${most} are at once`)
}

type Scores = Map<string, number>

/** Makes the scores of a combination; `bytes` counts all that it reads. */
type Combine = (combination: Combination, context: CommandContext, bytes: GatheredBytes) => Scores

const union: Combine = ({ sources, aggregate }, context, bytes) => {
  const scores: Scores = new Map()
  for (const source of sources) {
    for (const { member, score } of entriesWithin(source.list, 0, source.count, context, bytes)) {
      const own = orZero(source.weight * score)
      const before = scores.get(member)
      scores.set(member, before === undefined ? own : aggregate(before, own))
    }
  }
  return scores
}

const inter: Combine = ({ sources, aggregate, limit }, context, bytes) => {
  const scores: Scores = new Map()
  const [first, ...others] = sources
  if (first === undefined) return scores
  for (const { member, score } of entriesWithin(first.list, 0, first.count, context, bytes)) {
    let total: number | undefined = orZero(first.weight * score)
    for (const { list, weight } of others) {
      const other = context.lists.score(list, member)
      total = other === undefined ? undefined : aggregate(total, other * weight)
      if (total === undefined) break
    }
    if (total !== undefined) scores.set(member, total)
    if (limit > 0 && scores.size === limit) break
  }
  return scores
}

const diff: Combine = ({ sources }, context, bytes) => {
  const [first, ...others] = sources
  const scores: Scores = new Map()
  if (first === undefined) return scores
  for (const { member, score } of entriesWithin(first.list, 0, first.count, context, bytes)) scores.set(member, score)
  for (const other of others) {
    // The smaller of the two decides what is looked up.
    if (other.count < scores.size)
      for (const { member } of entriesWithin(other.list, 0, other.count, context, bytes)) scores.delete(member)
    else
      for (const member of scores.keys())
        if (context.lists.score(other.list, member) !== undefined) scores.delete(member)
  }
  return scores
}

function readCommand(kind: Kind): RespCommand {
  const name = `z${kind}`
  return {
    name,
    arity: -3,
    flags: ['readonly'],
    run(args, context): Reply {
      const taken = { withScores: true, weights: kind !== 'diff' }
      const combination = readCombination(name, kind, args, 1, taken, context)
      const items = combined(combination, context)
      if (combination.withScores) return { type: 'scored', items, isNested: true }
      const copy: Extract<Reply, { type: 'members' }>['copy'] = (into) => {
        for (const { member } of items) into.takeText(member)
      }
      return { type: 'members', count: items.length, copy }
    },
  }
}

function storeCommand(kind: Kind): RespCommand {
  const name = `z${kind}store`
  return {
    name,
    arity: -4,
    flags: ['write'],
    keys: [1, 1, 1],
    run(args, context) {
      const combination = readCombination(name, kind, args, 2, { weights: kind !== 'diff' }, context)
      return storeList(argument(args, 1), combined(combination, context), context)
    },
  }
}

const zintercard: RespCommand = {
  name: 'zintercard',
  arity: -3,
  flags: ['readonly'],
  run(args, context) {
    const combination = readCombination('zintercard', 'inter', args, 1, { limit: true }, context)
    requireSmall(combination, context)
    return integer(inter(combination, context, new GatheredBytes(context.mostReplyBytes)).size)
  },
}

export const COMBINATION_COMMANDS: readonly RespCommand[] = [
  readCommand('union'),
  readCommand('inter'),
  readCommand('diff'),
  storeCommand('union'),
  storeCommand('inter'),
  storeCommand('diff'),
  zintercard,
]
