import { AsyncLocalStorage } from 'node:async_hooks'

/** The capacity of DynamoDB that one HTTP request has used so far. */
export interface CapacityUse {
  /** Units of reads and writes, as DynamoDB reported them. */
  readUnits: number
  writeUnits: number
  requests: number
}

/** The time that a request may still wait for the database. */
export interface Budget {
  readonly ms: number
  /** The timer; it begins with the first command, so that a body that arrives slowly costs nothing. */
  spent: AbortController | undefined
  timer: NodeJS.Timeout | undefined
}

interface RequestScope {
  /** The id of the request, in its answer and in the log. */
  readonly id: string | undefined
  use: CapacityUse | undefined
  budget: Budget | undefined
}

/** Follows a request to the commands that are sent for it. One storage holds it all, since each slows down every promise a little. */
export const requestScope: AsyncLocalStorage<RequestScope> = new AsyncLocalStorage<RequestScope>()

/** Runs a function as a part of what is done for a request, or an invocation, with this id. */
export function withinRequest<T>(id: string, use: CapacityUse | undefined, run: () => T): T {
  return requestScope.run({ id, use, budget: undefined }, run)
}

/** Returns the id of the request that this work is done for, as a logger adds it to its lines; nothing where there is none. */
export function requestIds(): { readonly id?: string } {
  const id = requestScope.getStore()?.id
  return id === undefined ? {} : { id }
}
