import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb'
import type { Figures, Observe } from './observer.ts'

interface Given {
  readonly input: { readonly IndexName?: string; readonly ReturnConsumedCapacity?: string | undefined }
}

interface Answered {
  readonly output: {
    readonly ConsumedCapacity?: ConsumedCapacity | readonly ConsumedCapacity[]
    readonly ScannedCount?: number
    readonly Count?: number
    readonly $metadata?: { readonly requestId?: string; readonly attempts?: number }
  }
}

type Handler = (args: Given) => Promise<Answered>

/** A command of the SDK; clients that stand in for the SDK may have no middleware. */
interface ObservedCommand {
  readonly middlewareStack?: {
    add(
      middleware: (next: Handler, context: { readonly commandName?: string }) => Handler,
      where: { step: 'initialize'; name: string },
    ): void
  }
}

const READS: ReadonlySet<string> = new Set(['GetItem', 'Query', 'Scan', 'BatchGetItem', 'TransactGetItems'])
const WRITES: ReadonlySet<string> = new Set([
  ...['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'TransactWriteItems', 'ExecuteStatement'],
])

/**
 * Has each try of a command observed, and asks for the capacity that it takes. The name comes from the SDK: those of classes don't outlive a
 * bundler that makes names short.
 */
export function observeCommand({ middlewareStack }: ObservedCommand, table: string, observe: Observe): void {
  const observing =
    (next: Handler, { commandName = '' }: { readonly commandName?: string }): Handler =>
    (args) => {
      const name = commandName.replace(/Command$/, '')
      const isRead = READS.has(name)
      const { ReturnConsumedCapacity = 'TOTAL' } = args.input
      const asked = isRead || WRITES.has(name) ? { ...args, input: { ...args.input, ReturnConsumedCapacity } } : args
      const work = { kind: 'command', name, table, index: args.input.IndexName, input: asked.input } as const
      return observe(
        work,
        () => next(asked),
        ({ output }) => figuresOf(output, isRead),
      )
    }
  middlewareStack?.add(observing, { step: 'initialize', name: 'lapidaryObserver' })
}

function figuresOf(
  { ConsumedCapacity: consumed, ScannedCount, Count, $metadata: { requestId, attempts } = {} }: Answered['output'],
  isRead: boolean,
): Figures {
  const units = [consumed ?? []].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)
  return {
    ...(consumed === undefined ? {} : isRead ? { readUnits: units } : { writeUnits: units }),
    ...(ScannedCount === undefined ? {} : { itemsRead: ScannedCount }),
    ...(Count === undefined ? {} : { itemsReturned: Count }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(attempts === undefined ? {} : { attempts }),
  }
}
