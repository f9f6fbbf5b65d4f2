import { AsyncLocalStorage } from 'node:async_hooks'

/** What one HTTP request has used of DynamoDB so far. */
export interface CapacityUse {
  /** Units of reads and writes, as DynamoDB reported them. */
  readUnits: number
  writeUnits: number
  requests: number
}

/** The time that a request may still wait for the database. */
export interface Budget {
  readonly ms: number
  /** Begins with the first command, so that a body that arrives slowly costs nothing. */
  spent: AbortController | undefined
  timer: NodeJS.Timeout | undefined
}

interface RequestScope {
  use: CapacityUse | undefined
  budget: Budget | undefined
}

/** Follows a request to the commands that are sent for it. One storage holds it all: each slows down every promise a little. */
export const requestScope: AsyncLocalStorage<RequestScope> = new AsyncLocalStorage<RequestScope>()
