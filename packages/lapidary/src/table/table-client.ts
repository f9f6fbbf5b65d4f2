import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { LapidaryError } from '../model/errors.ts'
import { databaseError } from './database-error.ts'
import { isPassing, mayBeDone } from './error-meaning.ts'
import { observeCommand } from './observed-command.ts'
import { type Observe, UNOBSERVED } from './observer.ts'
import { Again, retrying, type Waiting } from './retrying.ts'
import { skipSilentLog } from './silent-log.ts'
import { type Tries, watchTries } from './tries.ts'

/** The user's own client, or anything that sends commands as it does. */
export type CommandSender = Pick<DynamoDBClient, 'send'>

/** The parts that a table client needs from outside; the library has no clock and no randomness of its own. */
export interface TableClientOptions {
  readonly client: CommandSender
  readonly tableName: string
  /** Returns a number from 0 to 1, as `Math.random`. */
  readonly random: () => number
  /** Resolves after this many milliseconds. */
  readonly sleep: (milliseconds: number) => Promise<void>
  /** The most tries of one throttled command, beyond the client's own. */
  readonly maxAttempts?: number
  /** Runs each piece of work; {@link UNOBSERVED} when not given. */
  readonly observe?: Observe
}

/** Settings for sending a command. */
export interface SendSettings {
  readonly abortSignal?: AbortSignal
  /** The notes about the tries of a command. */
  readonly tries?: Tries
}

/** A client for one table of DynamoDB. It tries again with full jitter what may pass, and its errors have codes. */
export interface TableClient extends Waiting {
  readonly tableName: string
  readonly send: CommandSender['send']
  /** Runs a piece of work, and has it observed where the program observes. */
  readonly observe: Observe
}

const MAX_ATTEMPTS = 6

export function createTableClient(options: TableClientOptions): TableClient {
  const { client, tableName, random, sleep, maxAttempts = MAX_ATTEMPTS, observe = UNOBSERVED } = options
  const table = `the table ${tableName}`
  const gaveUp = (tries: number, cause: unknown): never => {
    const { code, message, details } = databaseError(cause, table) as LapidaryError
    throw new LapidaryError(code, `${message} (after ${tries} tries)`, { cause, details })
  }
  const send = (command: never, { tries, ...settings }: SendSettings = {}): Promise<unknown> => {
    skipSilentLog(command)
    if (tries !== undefined) watchTries(command, tries)
    if (observe !== UNOBSERVED) observeCommand(command, tableName, observe)
    return retrying<unknown>({ random, sleep }, { most: maxAttempts, gaveUp }, async () => {
      try {
        return await client.send(command, settings as never)
      } catch (error) {
        if (tries !== undefined) tries.lost ||= mayBeDone(error)
        if (settings.abortSignal?.aborted !== true && isPassing(error)) return new Again(error)
        throw databaseError(error, table) ?? error
      }
    })
  }
  return { tableName, random, sleep, observe, send: send as CommandSender['send'] }
}
