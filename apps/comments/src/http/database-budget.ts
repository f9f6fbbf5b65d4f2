import { AsyncLocalStorage } from 'node:async_hooks'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'

/** A reader waits no longer than this for all that one request asks of the database; what nobody waits for has its own time. */
const BUDGET_MS = 5_000

interface Budget {
  /** Begins with the first command, so that a body that arrives slowly costs nothing. */
  spent: AbortSignal | undefined
}

const underWay = new AsyncLocalStorage<Budget>()

/** Runs something whose commands, sent through a {@link budgetedClient}, have a few seconds in all, tries included. */
export function withinDatabaseBudget<T>(run: () => T): T {
  return underWay.run({ spent: undefined }, run)
}

/**
 * A client that gives up on a command when the request that it serves has waited long enough; other commands are sent as
 * ever. A write that was given up may still have been done, as after any lost answer.
 */
export function budgetedClient(client: DynamoDBClient): DynamoDBClient {
  const send = async (command: never, options: { readonly abortSignal?: AbortSignal } = {}): Promise<unknown> => {
    const budget = underWay.getStore()
    if (budget === undefined) return client.send(command, options)
    budget.spent ??= AbortSignal.timeout(BUDGET_MS)
    const { spent } = budget
    const abortSignal = options.abortSignal === undefined ? spent : AbortSignal.any([options.abortSignal, spent])
    try {
      return await client.send(command, { ...options, abortSignal })
    } catch (error) {
      if (!spent.aborted) throw error
      const late = new Error(`DynamoDB has not answered in ${BUDGET_MS / 1000} s`, { cause: error })
      late.name = 'TimeoutError'
      throw late
    }
  }
  return Object.create(client, { send: { value: send } }) as DynamoDBClient
}
