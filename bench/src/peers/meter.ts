import type { ConsumedCapacity, DynamoDBClient } from '@aws-sdk/client-dynamodb'

/** Meters a client's requests since the last reset. */
export interface Meter {
  reset(): void
  read(): { readonly rcu: number; readonly wcu: number; readonly requests: number; readonly rounds: number }
}

/** Reading commands; everything else is a write. */
const READS = /^(Query|GetItem|BatchGetItem|Scan|TransactGetItems)Command$/

/** Asks DynamoDB to report the capacity of every request, whichever library sends it. Requests that wait for none of each other are a round. */
export function metered(client: DynamoDBClient): Meter {
  let [rcu, wcu, requests, rounds, underWay] = [0, 0, 0, 0, 0]
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        Object.assign(args.input, { ReturnConsumedCapacity: 'TOTAL' })
        requests += 1
        if (underWay === 0) rounds += 1
        underWay += 1
        try {
          const answer = await next(args)
          const { ConsumedCapacity = [] } = answer.output as {
            ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[]
          }
          const units = [ConsumedCapacity].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)
          if (READS.test(commandName)) rcu += units
          else wcu += units
          return answer
        } finally {
          underWay -= 1
        }
      },
    { step: 'initialize', name: 'meter' },
  )
  return {
    reset() {
      ;[rcu, wcu, requests, rounds] = [0, 0, 0, 0]
    },
    read: () => ({ rcu, wcu, requests, rounds }),
  }
}
