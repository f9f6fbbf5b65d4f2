import type { Command } from 'commander'
import type { CommonOptions } from './options.ts'
import type { Terminal } from './terminal.ts'

/** What a command's action gets beside its own arguments. */
export interface CommandRun {
  readonly terminal: Terminal
  /** Sets what the process ends with when the action returns; 0 otherwise. */
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
