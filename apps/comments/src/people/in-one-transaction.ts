import { randomUUID } from 'node:crypto'
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { type CollectionContext, LapidaryError, type PlannedWrites } from 'lapidary'
import { Again, retrying, sendOnce } from 'lapidary/internal'

/** The writes of one transaction, and the answer that its caller gets once they are made. */
export interface Plan<T> {
  /** Empty where there is nothing to do. */
  readonly writes: readonly TransactWriteItem[]
  readonly answer: T
  /** The product whose comments change, so that its counts are read anew. */
  readonly productId: string
}

const MOST_TRIES = 12

/**
 * Makes writes of several collections at once. Where another request came between, the plan is made anew, of what is there then.
 *
 * @throws {LapidaryError} `unavailable`, and what the plan throws.
 */
export async function inOneTransaction<T>(
  { table, statistics }: Pick<CollectionContext, 'table' | 'statistics'>,
  plan: () => Promise<Plan<T>>,
): Promise<T> {
  const gaveUp = (tries: number, cause: unknown): never => {
    throw new LapidaryError('unavailable', `other requests came between ${tries} times; try again`, { cause })
  }
  const { answer } = await retrying<Plan<T>>(table, { most: MOST_TRIES, gaveUp }, async () => {
    const planned = await plan().catch((error: unknown) => {
      if (error instanceof CameBetween) return new Again(error)
      throw error
    })
    if (planned instanceof Again || planned.writes.length === 0) return planned
    try {
      const { outcome } = await sendOnce(table, planned.writes, randomUUID())
      return outcome === 'written' ? planned : new Again()
    } finally {
      statistics?.wrote(planned.productId)
    }
  })
  return answer
}

class CameBetween extends Error {
  override readonly name = 'CameBetween'
}

const BETWEEN: readonly string[] = ['not_found', 'version_conflict', 'condition_failed']

/** Plans writes of an item that the plan has read before; if it has changed since, the plan is made anew. */
export async function asRead(planned: Promise<PlannedWrites<unknown>>): Promise<readonly TransactWriteItem[]> {
  try {
    return (await planned).writes
  } catch (error) {
    if (error instanceof LapidaryError && BETWEEN.includes(error.code)) throw new CameBetween()
    throw error
  }
}
