import type { RespCommand } from '../command.ts'
import { array, type Reply, status } from '../reply.ts'

/** A command that another one's first argument names. */
export interface Subcommand extends Omit<RespCommand, 'subcommands'> {
  /** Its arguments as HELP shows them. */
  readonly usage?: string
}

/** Makes a command whose first argument names what it does. It has HELP too, in Redis's form. */
export function containerCommand(name: string, flags: RespCommand['flags'], own: readonly Subcommand[]): RespCommand {
  const lines = own.map((sub) => [sub.name.toUpperCase(), sub.usage ?? ''].join(' ').trim())
  const help: Subcommand = { name: 'help', arity: 2, flags: [], run: () => subcommandHelp(name, lines) }
  const subcommands = new Map(
    [...own, help].map((sub): [string, RespCommand] => [sub.name, { ...sub, name: `${name}|${sub.name}` }]),
  )
  return {
    name,
    arity: -2,
    flags,
    subcommands,
    // There is a subcommand, and it is run instead.
    run: () => subcommandHelp(name, lines),
  }
}

export function subcommandHelp(name: string, subcommands: readonly string[]): Reply {
  const first = `${name.toUpperCase()} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:`
  return array([first, ...subcommands, 'HELP'].map(status))
}
