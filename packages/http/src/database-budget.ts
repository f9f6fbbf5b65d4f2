import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { type Budget, requestScope } from './request-scope.ts'

/** The most milliseconds that a reader waits for the database in one request; work that no reader waits for has a time of its own. */
const BUDGET_MS = 5_000

/**
 * Runs a function whose commands, sent through a {@link budgetedClient}, have a few seconds in all, retries included.
 *
 * The timer is stopped at the end: an `AbortSignal.timeout()` would keep this budget, and this budget the signal.
 */
export async function withinDatabaseBudget<T>(run: () => Promise<T>, ms: number = BUDGET_MS): Promise<T> {
  const budget: Budget = { ms, spent: undefined, timer: undefined }
  const scope = requestScope.getStore()
  try {
    if (scope === undefined) return await requestScope.run({ id: undefined, use: undefined, budget }, run)
    scope.budget = budget
    return await run()
  } finally {
    clearTimeout(budget.timer)
  }
}

/**
 * Makes a client that gives up on a command when its request has waited long enough; other commands are sent as usual. A write that was given up
 * may still have been made, as after any lost answer.
 */
export function budgetedClient(client: DynamoDBClient): DynamoDBClient {
  const send = async (command: never, options: { readonly abortSignal?: AbortSignal } = {}): Promise<unknown> => {
    const budget = requestScope.getStore()?.budget
    if (budget === undefined) return client.send(command, options)
    const { signal } = begun(budget)
    const abortSignal = options.abortSignal === undefined ? signal : AbortSignal.any([options.abortSignal, signal])
    try {
      return await client.send(command, { ...options, abortSignal })
    } catch (error) {
      if (!signal.aborted) throw error
      const late = new Error(`DynamoDB has not answered in ${budget.ms / 1000} s`, { cause: error })
      late.name = 'TimeoutError'
      throw late
    }
  }
  return Object.create(client, { send: { value: send } }) as DynamoDBClient
}

function begun(budget: Budget): AbortController {
  if (budget.spent !== undefined) return budget.spent
  const spent = new AbortController()
  budget.spent = spent
  budget.timer = setTimeout(() => spent.abort(), budget.ms)
  return spent
}
