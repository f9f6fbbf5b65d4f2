import { randomInt } from 'node:crypto'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { Layout } from 'lapidary'
import { type CollectionCase, isEach } from '../arbitraries/collections.ts'

/** The two functions that a conformance suite takes from the test runner, vitest's or any with the same shape. */
export interface TestFunctions {
  readonly describe: (name: string, define: () => void) => void
  readonly it: (name: string, run: () => Promise<void>, timeout: number) => void
}

/** Options of `describeListConformance`. */
export interface ListConformanceOptions extends TestFunctions {
  /** The subject of the test, for the name of the suite. */
  readonly name: string
  /** Makes a client of the engine; called once a property, and destroyed after it. */
  readonly client: () => DynamoDBClient
  /** The layout; `indexes()` when not given. Its capabilities decide which collections it is tried on. */
  readonly layout?: Layout
  /** Tells whether a made-up collection is tried at all; each one that the layout can hold when not given. */
  readonly accepts?: (made: CollectionCase) => boolean
  /** Cases of each property; 20 when not given. */
  readonly runs?: number
  /** The seed of the cases; a random one when not given. */
  readonly seed?: number
  /** Whether a failing case is made smaller; true when not given. It can't be where faults decide beside the case. */
  readonly shrinks?: boolean
  /** Milliseconds of one property, 60,000 when not given: one that is not done by then fails. */
  readonly timeout?: number
}

/** Tells whether a layout's capabilities cover a made-up collection. */
export function canHold({ capabilities }: Layout, { facets, rank }: CollectionCase): boolean {
  if (rank !== undefined && capabilities.orders !== 'several') return false
  return Object.values(facets).every(
    ({ closed, kind, values }) =>
      (closed || capabilities.openFacets.includes(kind === 'hierarchy' ? 'eachOf' : kind)) &&
      (isEach(kind) ? capabilities.eachOfFacets : capabilities.optionalFacets || !values.includes(null)),
  )
}

/**
 * Chooses the seed of a run; print it, so that the run can be repeated.
 *
 * @example
 * ```ts run
 * const seed = chosenSeed(process.env.SEED)
 * console.log(`SEED=${seed}`)
 * ```
 */
export function chosenSeed(given: string | undefined): number {
  const seed = given === undefined || given === '' ? randomInt(2 ** 31) : Number(given)
  if (!Number.isInteger(seed)) throw new TypeError(`the seed ${given} is not a whole number`)
  return seed
}
