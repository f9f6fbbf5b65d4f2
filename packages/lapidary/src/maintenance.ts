import { projectionsOf } from './change-stream.ts'
import { collectionProjections } from './derived/collection-projections.ts'
import type { CollectionContext } from './operations/context.ts'
import type { DerivedData, MaintenanceOptions, Mending, Verification } from './recount/maintenance-options.ts'
import { type MendOptions, rebuild, repair } from './recount/mend.ts'
import { verify } from './recount/verify.ts'
import { verifySample } from './recount/verify-sample.ts'

/** A client of a collection, of which only the context is needed. */
interface WithContext {
  readonly context: CollectionContext
}

/** How much is verified. */
export interface VerifyOptions extends MaintenanceOptions {
  /** Only so many scopes, chosen by chance; everything when not given. */
  readonly sample?: number
}

/** How much is rebuilt. */
export interface RebuildOptions extends MendOptions {
  /** The projection to rebuild, by name; all when not given. */
  readonly projection?: string | undefined
}

/**
 * Recounts the counts and leaderboards of all collections of a table from their items, and tells every difference, while
 * the table is written to and the projections run. Reads only.
 *
 * @param clients Clients of all collections of the table.
 * @throws {LapidaryError} `aborted`, `unavailable`, `table_mismatch`.
 * @example
 * ```ts
 * const { differenceCount } = await verifyStatistics([lapidary.comments], { clientConfig: { region: 'eu-central-1' } })
 * ```
 */
export function verifyStatistics(clients: readonly WithContext[], options: VerifyOptions): Promise<Verification> {
  const { sample, ...rest } = options
  if (sample === undefined) return verify(derivedOf(clients), rest)
  const collections = clients.map(({ context }) => {
    const { collection, codec, layout } = context
    return { context, projections: collectionProjections(collection, codec, layout) }
  })
  return verifySample(derivedOf(clients), collections, rest, sample)
}

/** Mends every difference that {@link verifyStatistics} would tell, and nothing else; see {@link repair}. */
export function repairStatistics(clients: readonly WithContext[], options: MendOptions): Promise<Mending> {
  return repair(derivedOf(clients), options)
}

/** Brings counts and leaderboards to what the items say, also when there never were any; see {@link rebuild}. */
export function rebuildStatistics(clients: readonly WithContext[], options: RebuildOptions): Promise<Mending> {
  const { projection, ...rest } = options
  return rebuild(derivedOf(clients), rest, projection)
}

function derivedOf(clients: readonly WithContext[]): DerivedData {
  const [first] = clients
  if (first === undefined) throw new TypeError('maintenance needs at least one collection')
  const { table, clock, now } = first.context
  return { table, clock, now, projections: projectionsOf(clients) }
}
