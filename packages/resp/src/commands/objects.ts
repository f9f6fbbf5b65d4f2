import { argument, type RespCommand } from '../command.ts'
import { longArgument } from '../ranges.ts'
import { bulk, failure, integer, NULL } from '../reply.ts'
import { containerCommand, type Subcommand } from './container.ts'

/** The most entries of a list in which a long member is looked for. */
const MOST_SMALL = 1_000

/** Answers the encoding that Redis would use for a set of these members; the server keeps both in the same way. */
const encoding: Subcommand = {
  name: 'encoding',
  arity: 3,
  flags: ['readonly'],
  usage: '<key>',
  run(args, { lists, server }) {
    const list = argument(args, 2)
    const count = lists.count(list)
    if (count === 0) return NULL
    const { listpackEntries, listpackValue } = server.settings
    const isSmall = count <= Math.min(listpackEntries, MOST_SMALL)
    const hasLong = isSmall && lists.slice(list, 0, count).some(({ member }) => member.length > listpackValue)
    return bulk(isSmall && !hasLong ? 'listpack' : 'skiplist')
  },
}

const refcount: Subcommand = {
  name: 'refcount',
  arity: 3,
  flags: ['readonly'],
  usage: '<key>',
  run: (args, { lists }) => (lists.count(argument(args, 2)) === 0 ? NULL : integer(1)),
}

/** Bytes of an entry whose member has its room in the base file, and of that room. */
const ENTRY_BYTES = 36
const ROOM_BYTES = 19
/** Bytes of a list in the directory of the base file. */
const LIST_BYTES = 48
const SAMPLES = 5
const MOST_SAMPLES = 1_000

const usage: Subcommand = {
  name: 'usage',
  arity: -3,
  flags: ['readonly'],
  usage: '<key> [SAMPLES <count>]',
  run(args, { lists }) {
    const list = argument(args, 2)
    let samples = SAMPLES
    for (let i = 3; i < args.length; i += 2) {
      if (argument(args, i).toUpperCase() !== 'SAMPLES' || args[i + 1] === undefined) throw failure('syntax error')
      samples = longArgument(argument(args, i + 1))
      if (samples < 0) throw failure('syntax error')
    }
    const count = lists.count(list)
    if (count === 0) return NULL
    const taken = Math.min(count, samples === 0 ? MOST_SAMPLES : samples, MOST_SAMPLES)
    let beyond = 0
    for (let i = 0; i < taken; i++) {
      const { length } = lists.at(list, Math.floor((i * count) / taken))?.member ?? ''
      if (length > ROOM_BYTES) beyond += length
    }
    return integer(LIST_BYTES + list.length + Math.round(count * (ENTRY_BYTES + beyond / taken)))
  },
}

export const OBJECT_COMMANDS: readonly RespCommand[] = [
  containerCommand('object', ['readonly'], [encoding, refcount]),
  containerCommand('memory', ['readonly'], [usage]),
]
