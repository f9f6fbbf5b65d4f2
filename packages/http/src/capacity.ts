import type { ConsumedCapacity, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { requestScope } from './request-scope.ts'

/** Called with each command that consumed capacity. */
export type CapacityListener = (command: string, kind: 'read' | 'write', units: number) => void

const READS: ReadonlySet<string> = new Set(['GetItem', 'Query', 'Scan', 'BatchGetItem', 'TransactGetItems'])
const WRITES: ReadonlySet<string> = new Set([
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'BatchWriteItem',
  'TransactWriteItems',
])

/** Returns how much of a cap the current request has left, in RCU; the whole cap outside of a request. */
export function capacityLeft(cap: number): number {
  return Math.max(0, cap - (requestScope.getStore()?.use?.readUnits ?? 0))
}

/** Makes a client ask for the consumed capacity of each command, and report it. */
export function observeCapacity(client: DynamoDBClient, listener: CapacityListener): void {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const command = String(context.commandName ?? '').replace(/Command$/, '')
      const kind = READS.has(command) ? 'read' : WRITES.has(command) ? 'write' : undefined
      if (kind === undefined) return next(args)
      const result = await next({ ...args, input: { ReturnConsumedCapacity: 'TOTAL', ...args.input } as never })
      const units = unitsOf(
        (result.output as { ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] }).ConsumedCapacity,
      )
      const use = requestScope.getStore()?.use
      if (use !== undefined) {
        use.requests++
        if (kind === 'read') use.readUnits += units
        else use.writeUnits += units
      }
      listener(command, kind, units)
      return result
    },
    { step: 'initialize', name: 'observeCapacity' },
  )
}

function unitsOf(consumed: ConsumedCapacity | readonly ConsumedCapacity[] | undefined): number {
  return [consumed ?? []].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)
}
