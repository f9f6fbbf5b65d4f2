import type { DiskChange, ListPiece } from 'lapidary-pages/file'
import { argument, type CommandContext, change, mostChanged, type RespCommand } from '../command.ts'
import { entriesWithin, GatheredBytes, pieceWithin } from '../entries-within.ts'
import { matchesGlob } from '../glob.ts'
import { longArgument } from '../ranges.ts'
import { formatScore } from '../redis-number.ts'
import { array, bulk, failure, integer, OK, type Reply } from '../reply.ts'
import { additions, requireStorableCount } from '../stored-list.ts'

/** The number of names in one step of a walk over all of them. */
const PIECE = 1_000
const COUNT = 10

const dropCommand = (name: string): RespCommand => ({
  name,
  arity: -2,
  flags: ['write'],
  keys: [1, -1, 1],
  run: (args, context) => {
    const found = args.slice(1).filter((list) => context.lists.count(list) > 0)
    return integer(change(context, drops(found)))
  },
})

const drops = (lists: readonly string[]): DiskChange[] => lists.map((list) => ({ type: 'drop', list }))

/** Makes EXISTS and TOUCH, which are the same: the server does not note when a key was last used. */
const existsCommand = (name: string): RespCommand => ({
  name,
  arity: -2,
  flags: ['readonly', 'fast'],
  keys: [1, -1, 1],
  run: (args, { lists }) => integer(args.slice(1).filter((list) => lists.count(list) > 0).length),
})

function renameCommand(name: string, onlyNew: boolean): RespCommand {
  return {
    name,
    arity: 3,
    flags: onlyNew ? ['write', 'fast'] : ['write'],
    keys: [1, 2, 1],
    run(args, context) {
      const { lists } = context
      const [from, to] = [argument(args, 1), argument(args, 2)]
      const count = lists.count(from)
      if (count === 0) throw failure('no such key')
      const done = onlyNew ? integer(1) : OK
      if (onlyNew && lists.count(to) > 0) return integer(0)
      if (from === to) return done
      requireStorableCount(count, context)
      const entries = entriesWithin(from, 0, count, context)
      const dropped = drops(lists.count(to) > 0 ? [from, to] : [from])
      change(context, [...dropped, ...additions(to, entries)])
      return done
    },
  }
}

/** Makes FLUSHALL and FLUSHDB: there is one database. */
const flushCommand = (name: string): RespCommand => ({
  name,
  arity: -1,
  flags: ['write'],
  run(args, context) {
    if (args.length > 2 || (args[1] !== undefined && !/^(a?sync)$/i.test(args[1]))) throw failure('syntax error')
    const { lists } = context
    const [count, most] = [lists.status().lists, mostChanged(context)]
    if (count > most) {
      throw failure(`${count} keys would be removed, and at most ${most} are at once; SCAN and UNLINK them in parts`)
    }
    const names = new Set<string>()
    for (let from: number | undefined = 0; from !== undefined; ) {
      const piece: ListPiece = lists.lists(PIECE, from)
      for (const list of piece.items) names.add(list)
      from = piece.next
    }
    change(context, drops([...names]))
    return OK
  },
})

const type: RespCommand = {
  name: 'type',
  arity: 2,
  flags: ['readonly', 'fast'],
  keys: [1, 1, 1],
  run: (args, { lists }) => ({ type: 'status', text: lists.count(argument(args, 1)) > 0 ? 'zset' : 'none' }),
}

const dbsize: RespCommand = {
  name: 'dbsize',
  arity: 1,
  flags: ['readonly', 'fast'],
  run: (_args, { lists }) => integer(lists.status().lists),
}

const keys: RespCommand = {
  name: 'keys',
  arity: 2,
  flags: ['readonly'],
  run(args, { lists, server, mostReplyBytes }) {
    const pattern = argument(args, 1)
    const found: Reply[] = []
    const bytes = new GatheredBytes(mostReplyBytes)
    for (let from: number | undefined = 0; from !== undefined; ) {
      const piece: ListPiece = lists.lists(PIECE, from)
      for (const name of piece.items) {
        if (!matchesGlob(pattern, name)) continue
        bytes.add(name)
        found.push(bulk(name))
      }
      if (found.length > server.mostEntries) {
        throw failure(`more than ${server.mostEntries} keys match, which is the most that are sent at once; use SCAN`)
      }
      from = piece.next
    }
    return array(found)
  },
}

interface ScanOptions {
  readonly pattern: string
  readonly count: number
  readonly type: string
}

/** @throws {ReplyError} */
function scanOptions(args: readonly string[], start: number, takesType: boolean): ScanOptions {
  let [pattern, count, type] = ['*', COUNT, 'zset']
  for (let i = start; i < args.length; i += 2) {
    const option = argument(args, i).toUpperCase()
    const value = args[i + 1]
    if (value === undefined) throw failure('syntax error')
    if (option === 'MATCH') pattern = value
    else if (option === 'COUNT') {
      count = longArgument(value)
      if (count < 1) throw failure('syntax error')
    } else if (option === 'TYPE' && takesType) type = value.toLowerCase()
    else throw failure('syntax error')
  }
  return { pattern, count, type }
}

/** @throws {ReplyError} */
function cursorArgument(text: string): number {
  const cursor = Number(text)
  if (!/^\d{1,20}$/.test(text) || cursor > 2 ** 64) throw failure('invalid cursor')
  return cursor
}

const scan: RespCommand = {
  name: 'scan',
  arity: -2,
  flags: ['readonly'],
  run(args, context) {
    const cursor = cursorArgument(argument(args, 1))
    const { pattern, count, type } = scanOptions(args, 2, true)
    const { items, next } = pieceWithin(count, cursor, context, (limit, from) => context.lists.lists(limit, from))
    const found = type === 'zset' ? items.filter((name) => matchesGlob(pattern, name)) : []
    return array([bulk(String(next ?? 0)), array(found.map(bulk))])
  },
}

const zscan: RespCommand = {
  name: 'zscan',
  arity: -3,
  flags: ['readonly'],
  keys: [1, 1, 1],
  run(args, context: CommandContext) {
    const { lists } = context
    const cursor = cursorArgument(argument(args, 2))
    const list = argument(args, 1)
    if (lists.count(list) === 0) return array([bulk('0'), array([])])
    const { pattern, count } = scanOptions(args, 3, false)
    const { items, next } = pieceWithin(count, cursor, context, (limit, from) => lists.members(list, limit, from))
    const found = items.filter((member) => matchesGlob(pattern, member))
    const shown = found.flatMap((member) => [bulk(member), bulk(formatScore(lists.score(list, member) ?? 0))])
    return array([bulk(String(next ?? 0)), array(shown)])
  },
}

export const KEY_COMMANDS: readonly RespCommand[] = [
  dropCommand('del'),
  dropCommand('unlink'),
  existsCommand('exists'),
  existsCommand('touch'),
  renameCommand('rename', false),
  renameCommand('renamenx', true),
  flushCommand('flushall'),
  flushCommand('flushdb'),
  type,
  dbsize,
  keys,
  scan,
  zscan,
]
