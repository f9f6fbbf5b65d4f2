import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { Services } from 'comments/services'
import { rounded } from './measure.ts'
import type { FigureTable } from './report.ts'

/** Changes that one commit of the stream takes in. */
export const BATCH = 25

/** A kind of change, and how the i-th of a batch is made. */
export type Step = readonly [name: string, does: (i: number) => Promise<unknown>]

/** Makes a batch of each kind of change, and tells what one took: by its request, and by what follows the stream. */
export async function costOfChanges(
  { database }: Pick<Services, 'database'>,
  units: Units,
  { title, steps }: { readonly title: string; readonly steps: readonly Step[] },
): Promise<FigureTable> {
  const rows: (string | number)[][] = []
  for (const [name, does] of steps) {
    const before = units.written
    for (let i = 0; i < BATCH; i++) await does(i)
    const requested = units.written
    await database.stream.catchUp()
    rows.push([name, rounded((requested - before) / BATCH, 2), rounded((units.written - requested) / BATCH, 2)])
  }
  return { title, columns: ['change', 'by the request', `by what follows the stream, in batches of ${BATCH}`], rows }
}

/** The units of what was written so far. */
export interface Units {
  written: number
}

const WRITES = /^(Put|Update|Delete|TransactWrite|BatchWrite)Items?Command$/

/** Counts the units of all writes, those of the change stream's follower too, as the engine reports them. */
export function observeWrites(client: DynamoDBClient): Units {
  const units: Units = { written: 0 }
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        if (!WRITES.test(commandName)) return next(args)
        const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } as never })
        const { ConsumedCapacity } = result.output as { ConsumedCapacity?: Capacity | readonly Capacity[] }
        for (const { CapacityUnits = 0 } of [ConsumedCapacity ?? []].flat()) units.written += CapacityUnits
        return result
      },
    { step: 'initialize', name: 'observeWrites' },
  )
  return units
}

interface Capacity {
  readonly CapacityUnits?: number
}
