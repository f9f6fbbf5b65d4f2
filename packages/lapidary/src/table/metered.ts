import { GetItemCommand, QueryCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import type { TableClient } from './table-client.ts'

/** The capacity units and requests of some reads. */
export interface Spent {
  readonly rcu: number
  readonly requests: number
}

/** Sums up what was read through a table client and not told yet. */
export interface Meter {
  /** Tells what was read since the last call; each read is told once. */
  take(): Spent
}

const NOTHING: Spent = Object.freeze({ rcu: 0, requests: 0 })

/** A table client for reads of which no single request is the cause, and a meter that sums them up. */
export function metered(table: TableClient): { readonly table: TableClient; readonly meter: Meter } {
  let spent = NOTHING
  const send = async (command: object, settings?: never): Promise<unknown> => {
    if (!isRead(command)) return table.send(command as never, settings)
    command.input.ReturnConsumedCapacity ??= 'TOTAL'
    const output = await table.send(command, settings)
    spent = { rcu: spent.rcu + (output.ConsumedCapacity?.CapacityUnits ?? 0), requests: spent.requests + 1 }
    return output
  }
  const meter: Meter = {
    take() {
      const taken = spent
      spent = NOTHING
      return taken
    },
  }
  return { table: { ...table, send: send as TableClient['send'] }, meter }
}

/** Reads that tell alike what they took. */
function isRead(command: object): command is QueryCommand {
  return command instanceof GetItemCommand || command instanceof QueryCommand || command instanceof ScanCommand
}
