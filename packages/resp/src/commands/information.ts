import { argument, type RespCommand } from '../command.ts'
import { array, bulk, failure, integer, NULL, type Reply } from '../reply.ts'
import { SECTIONS } from '../server-information.ts'
import { subcommandHelp } from './container.ts'

/** Sections that INFO has only when they are asked for. */
const ON_REQUEST: ReadonlySet<string> = new Set(['commandstats'])

const info: RespCommand = {
  name: 'info',
  arity: -1,
  flags: [],
  run(args, context) {
    const asked = args.slice(1).map((section) => section.toLowerCase())
    const wantsAll = asked.some((section) => section === 'all' || section === 'everything')
    const wantsUsual = asked.length === 0 || asked.includes('default')
    const texts = Object.entries(SECTIONS)
      .filter(([title]) => {
        const name = title.toLowerCase()
        return wantsAll || asked.includes(name) || (wantsUsual && !ON_REQUEST.has(name))
      })
      .map(([title, fieldsOf]) => {
        const lines = Object.entries(fieldsOf(context)).map(([name, value]) => `${name}:${value}\r\n`)
        return `# ${title}\r\n${lines.join('')}`
      })
    return { type: 'verbatim', bytes: texts.join('\r\n') }
  },
}

/** Makes COMMAND, which describes all other commands. */
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
    // Without texts, so that a client shows no hints.
    docs: () => ({ type: 'map', entries: [] }),
    info: (args) => {
      const names = args.slice(2).map((name) => name.toLowerCase())
      return array(names.map((name) => commandEntry(all().find((command) => command.name === name))))
    },
  }
  return {
    name: 'command',
    arity: -1,
    flags: [],
    run(args) {
      if (args.length === 1) return array(all().map(commandEntry))
      const run = subcommands[argument(args, 1).toLowerCase()]
      if (run === undefined) {
        throw failure(`unknown subcommand '${argument(args, 1).slice(0, 128)}'. Try COMMAND HELP.`)
      }
      return run(args)
    },
  }
}

function commandEntry(command: RespCommand | undefined): Reply {
  if (command === undefined) return NULL
  const { name, arity, flags, keys = [0, 0, 0] } = command
  const marks = flags
    .filter((flag) => flag !== 'unqueued')
    .map((flag): Reply => ({ type: 'status', text: flag === 'noauth' ? 'no_auth' : flag }))
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
