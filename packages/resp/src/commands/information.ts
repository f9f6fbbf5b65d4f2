import { argument, type CommandContext, type RespCommand } from '../command.ts'
import { array, bulk, failure, integer, NULL, type Reply } from '../reply.ts'
import { REDIS_VERSION, subcommandHelp } from './connection.ts'

const info: RespCommand = {
  name: 'info',
  arity: -1,
  flags: [],
  run(args, context) {
    const asked = args.slice(1).map((section) => section.toLowerCase())
    const wantsAll = asked.length === 0 || asked.some((section) => ['all', 'default', 'everything'].includes(section))
    const sections = Object.entries(sectionsOf(context)).filter(
      ([title]) => wantsAll || asked.includes(title.toLowerCase()),
    )
    const texts = sections.map(([title, fields]) => {
      const lines = Object.entries(fields).map(([name, value]) => `${name}:${value}\r\n`)
      return `# ${title}\r\n${lines.join('')}`
    })
    return { type: 'verbatim', bytes: texts.join('\r\n') }
  },
}

function sectionsOf({ server, lists }: CommandContext): Record<string, Record<string, string | number>> {
  const status = lists.status()
  return {
    Server: {
      redis_version: REDIS_VERSION,
      redis_mode: 'standalone',
      server_name: 'lapidary',
      process_id: process.pid,
      tcp_port: server.port,
      uptime_in_seconds: Math.floor((Date.now() - server.startedAt) / 1000),
    },
    Clients: { connected_clients: server.connections },
    Memory: { used_memory: process.memoryUsage.rss() },
    Persistence: {
      loading: 0,
      lapidary_generation: status.generation,
      lapidary_base_entries: status.baseEntries,
      lapidary_base_bytes: status.baseBytes,
      lapidary_log_bytes: status.logBytes,
    },
    Stats: { total_commands_processed: server.commands, rejected_passwords: server.refused },
    Replication: { role: 'master', connected_slaves: 0 },
    Keyspace: status.lists === 0 ? {} : { db0: `keys=${status.lists},expires=0,avg_ttl=0` },
  }
}

/** COMMAND, which describes all of the others. */
export function commandCommand(all: () => readonly RespCommand[]): RespCommand {
  const subcommands: Readonly<Record<string, (args: readonly string[]) => Reply>> = {
    count: () => integer(all().length),
    help: () =>
      subcommandHelp('COMMAND', [
        '(no subcommand)',
        'COUNT',
        'DOCS [<command-name> ...]',
        'INFO [<command-name> ...]',
        'LIST',
      ]),
    list: () => array(all().map(({ name }) => bulk(name))),
    // Without texts: a client then shows no hints.
    docs: () => ({ type: 'map', entries: [] }),
    info: (args) => {
      const names = args.slice(2).map((name) => name.toLowerCase())
      return array(names.map((name) => described(all().find((command) => command.name === name))))
    },
  }
  return {
    name: 'command',
    arity: -1,
    flags: [],
    run(args) {
      if (args.length === 1) return array(all().map(described))
      const run = subcommands[argument(args, 1).toLowerCase()]
      if (run === undefined) {
        throw failure(`unknown subcommand '${argument(args, 1).slice(0, 128)}'. Try COMMAND HELP.`)
      }
      return run(args)
    },
  }
}

function described(command: RespCommand | undefined): Reply {
  if (command === undefined) return NULL
  const { name, arity, flags, keys = [0, 0, 0] } = command
  const marks = flags.map((flag): Reply => ({ type: 'status', text: flag === 'noauth' ? 'no_auth' : flag }))
  return array([
    bulk(name),
    integer(arity),
    { type: 'set', items: marks },
    ...keys.map(integer),
    { type: 'set', items: [] },
    array([]),
    array([]),
    array([]),
  ])
}

export const INFORMATION_COMMANDS: readonly RespCommand[] = [info]
