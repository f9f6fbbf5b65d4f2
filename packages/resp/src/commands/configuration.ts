import { argument, type RespCommand, type ServerState } from '../command.ts'
import { matchesGlob } from '../glob.ts'
import { bulk, failure, OK, type Reply } from '../reply.ts'
import type { Settings } from '../settings.ts'
import { containerCommand, type Subcommand } from './container.ts'

/** The settings of CONFIG SET, also under the names that Redis had before. */
const SETTABLE: ReadonlyMap<string, keyof Settings> = new Map([
  ['zset-max-listpack-entries', 'listpackEntries'],
  ['zset-max-ziplist-entries', 'listpackEntries'],
  ['zset-max-listpack-value', 'listpackValue'],
  ['zset-max-ziplist-value', 'listpackValue'],
])

function parameters(server: ServerState): ReadonlyMap<string, string> {
  const fixed: [string, string | number][] = [
    ['port', server.port],
    ['databases', 1],
    ['maxclients', server.maxClients],
    // The server removes nothing for want of memory or for its age.
    ['maxmemory', 0],
    ['maxmemory-policy', 'noeviction'],
    ['save', ''],
    ['appendonly', 'yes'],
    ['timeout', 0],
  ]
  const settable = Array.from(SETTABLE, ([name, setting]): [string, number] => [name, server.settings[setting]])
  return new Map([...fixed, ...settable].map(([name, value]) => [name, String(value)]))
}

const get: Subcommand = {
  name: 'get',
  arity: -3,
  flags: [],
  usage: '<pattern> [<pattern> ...]',
  run(args, { server }) {
    const patterns = args.slice(2).map((pattern) => pattern.toLowerCase())
    const found = [...parameters(server)].filter(([name]) => patterns.some((pattern) => matchesGlob(pattern, name)))
    return { type: 'map', entries: found.map(([name, value]): [Reply, Reply] => [bulk(name), bulk(value)]) }
  },
}

const MOST_SETTING = 2 ** 31 - 1

const set: Subcommand = {
  name: 'set',
  arity: -4,
  flags: [],
  usage: '<directive> <value> [<directive> <value> ...]',
  run(args, { server }) {
    const known = parameters(server)
    const changed: Partial<Settings> = {}
    for (let i = 2; i < args.length; i += 2) {
      const name = argument(args, i).toLowerCase()
      const value = args[i + 1]
      const setting = SETTABLE.get(name)
      if (!known.has(name) || value === undefined) {
        throw failure(`Unknown option or number of arguments for CONFIG SET - '${argument(args, i)}'`)
      }
      const problem = setting === undefined ? "can't set immutable config" : settingProblem(value)
      if (problem !== undefined) {
        throw failure(`CONFIG SET failed (possibly related to argument '${name}') - ${problem}`)
      }
      if (setting !== undefined) changed[setting] = Number(value)
    }
    Object.assign(server.settings, changed)
    return OK
  },
}

function settingProblem(value: string): string | undefined {
  if (!/^\d{1,10}$/.test(value)) return "argument couldn't be parsed into an integer"
  return Number(value) > MOST_SETTING ? `argument must be between 0 and ${MOST_SETTING} inclusive` : undefined
}

const resetStat: Subcommand = {
  name: 'resetstat',
  arity: 2,
  flags: [],
  run(_args, { server }) {
    server.statistics.reset()
    return OK
  },
}

/** Accepts FUNCTION FLUSH, although there are no functions: test suites remove them before they begin. */
const flush: Subcommand = {
  name: 'flush',
  arity: -2,
  flags: ['write'],
  usage: '[ASYNC|SYNC]',
  run(args) {
    if (args.length > 3 || (args[2] !== undefined && !/^a?sync$/i.test(args[2]))) {
      throw failure('FUNCTION FLUSH only supports SYNC|ASYNC option')
    }
    return OK
  },
}

export const CONFIGURATION_COMMANDS: readonly RespCommand[] = [
  containerCommand('config', [], [get, set, resetStat]),
  containerCommand('function', [], [flush]),
]
