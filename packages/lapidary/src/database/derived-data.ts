import type { MaintenanceOptions, Mending, Verification } from '../recount/maintenance-options.ts'
import type { MendOptions } from '../recount/mend.ts'
import { type Database, derivedOf, idleMs } from './database.ts'

/** How much is verified. */
export interface VerifyOptions extends MaintenanceOptions {
  /** Only so many scopes, chosen by chance; everything when not given. */
  readonly sample?: number
}

/** The derived data of all collections of a table: counts, leaderboards, and what projections of your own keep. */
export interface Derived {
  /**
   * Recounts derived data from the items, and tells every difference, while the table is written to and the projections run.
   * It writes nothing but a few probes, by which it knows that it has read all of the change stream. Errors: `aborted`,
   * `unavailable`, `table_mismatch`.
   *
   * @example
   * ```ts run
   * const { differenceCount } = await lapidary.derived.verify()
   * const ofSome = await lapidary.derived.verify({ sample: 20 })
   * ```
   */
  verify(options?: VerifyOptions): Promise<Verification>
  /**
   * Mends every difference that `verify` would tell, and nothing else. It can be stopped or killed at any moment and run
   * again. Errors: `unavailable` when another process mends already, `aborted`, `table_mismatch`.
   *
   * @example
   * ```ts run
   * await lapidary.derived.repair()
   * ```
   */
  repair(options?: MendOptions): Promise<Mending>
  /**
   * Brings derived data to what the items say, also when there never was any: of one projection by its name, or of all.
   * Errors: as `repair`, and `unprocessable` for a name that no projection has.
   *
   * @example
   * ```ts run
   * await lapidary.derived.rebuild('leaderboards')
   * ```
   */
  rebuild(projection?: string, options?: MendOptions): Promise<Mending>
}

/** An emulator reads a table fastest as a whole. */
const IMMEDIATE = { segments: 1 } as const

export function derivedDataOf(database: Database): Derived {
  const settings = {
    idleMs: idleMs(database.stream),
    ...(database.stream.immediate === true ? IMMEDIATE : {}),
  }
  return Object.freeze<Derived>({
    async verify({ sample, ...options } = {}) {
      const derived = await derivedOf(database)
      if (sample === undefined) {
        const { verify } = await import('../recount/verify.ts')
        return verify(derived, { ...settings, ...options })
      }
      const { verifySample } = await import('../recount/verify-sample.ts')
      const collections = database.contexts.map((context) => {
        const { name } = context.collection
        return { context, projections: database.projections.filter(({ collection }) => collection === name) }
      })
      return verifySample(derived, collections, { ...settings, ...options }, sample)
    },
    async repair(options) {
      const { repair } = await import('../recount/mend.ts')
      return repair(await derivedOf(database), { ...settings, ...options })
    },
    async rebuild(projection, options) {
      const { rebuild } = await import('../recount/mend.ts')
      return rebuild(await derivedOf(database), { ...settings, ...options }, projection)
    },
  })
}
