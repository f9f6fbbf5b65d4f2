import type { RespCommand } from './command.ts'
import type { Reply } from './reply.ts'

/** After this many calls, one in as many is timed and stands for all of them: reading the clock costs as much as a small command. */
const TIMED = 16

/** The use of one command. */
export interface CommandUse {
  calls: number
  ms: number
  /** How many calls were refused before they were run. */
  rejected: number
  failed: number
}

/** The use of all commands since the server started, or since CONFIG RESETSTAT. */
export class CommandStatistics {
  readonly #uses = new Map<RespCommand, CommandUse>()
  readonly #errors = new Map<string, number>()
  /** The last command: most are the same as the one before. */
  #last: RespCommand | undefined
  #lastUse: CommandUse = { calls: 0, ms: 0, rejected: 0, failed: 0 }
  calls = 0
  connections = 0
  refusedConnections = 0
  refusedPasswords = 0

  useOf(command: RespCommand): CommandUse {
    if (command === this.#last) return this.#lastUse
    const known = this.#uses.get(command)
    const use = known ?? { calls: 0, ms: 0, rejected: 0, failed: 0 }
    if (known === undefined) this.#uses.set(command, use)
    this.#last = command
    this.#lastUse = use
    return use
  }

  /** Counts a call; returns for how many calls its time stands, 0 when it is not to be timed. */
  countCall(use: CommandUse): number {
    this.calls++
    const before = use.calls++
    if (before < TIMED) return 1
    return before % TIMED === 0 ? TIMED : 0
  }

  /** Counts an error by its first word. */
  countError(reply: Reply): void {
    if (reply.type !== 'error') return
    const kind = reply.text.split(' ', 1)[0] ?? ''
    this.#errors.set(kind, (this.#errors.get(kind) ?? 0) + 1)
  }

  get uses(): ReadonlyMap<RespCommand, CommandUse> {
    return this.#uses
  }

  get errors(): ReadonlyMap<string, number> {
    return this.#errors
  }

  reset(): void {
    this.#uses.clear()
    this.#last = undefined
    this.#errors.clear()
    this.calls = 0
    this.connections = 0
    this.refusedConnections = 0
    this.refusedPasswords = 0
  }
}
