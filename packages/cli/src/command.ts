import type { Command } from 'commander'
import type { CommonOptions } from './options.ts'
import type { Terminal } from './terminal.ts'

/** The arguments of a command's action beside its own. */
export interface CommandRun {
  readonly terminal: Terminal
  /** Makes the process exit with 1 when the action returns; it exits with 0 otherwise. */
  readonly fail: () => void
}

/** One command: it adds itself to the program. */
export interface CliCommand {
  register(program: Command, run: CommandRun): void
}

/** A command's own options together with the common ones. */
export function optionsOf<O>(command: Command): O & CommonOptions {
  return command.optsWithGlobals() as O & CommonOptions
}
