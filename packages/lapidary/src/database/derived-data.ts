import { STATISTICS } from '../derived/collection-projections.ts'
import type { UndeclaredShards } from '../derived/leaderboards/undeclared-shards.ts'
import { DUPLICATES } from '../duplicates/duplicates-copy.ts'
import { LapidaryError } from '../model/errors.ts'
import { knownOptions, type OptionNames } from '../model/known-options.ts'
import type { ComparedPages, UnverifiedPages } from '../recount/compared-pages.ts'
import type { DuplicatesInspection } from '../recount/duplicates/duplicates-inspection.ts'
import {
  type DerivedData,
  MAINTENANCE_NAMES,
  type MaintenanceOptions,
  type Mending,
  type Verification,
} from '../recount/maintenance-options.ts'
import type { MendOptions } from '../recount/mend.ts'
import type { PagesRebuilt, RebuildPagesOptions } from '../recount/pages/rebuild-pages.ts'
import { layoutKeeping } from '../schema/index-states.ts'
import { type Database, derivedOf, paceOf, streamsOf } from './database.ts'

/** How much is verified. */
export interface VerifyOptions extends MaintenanceOptions {
  /** Only so many scopes, chosen by chance; everything when not given. */
  readonly sample?: number
  /** Only what changed since this time, in milliseconds since 1970, as far as the change stream remembers it: a day. */
  readonly since?: number
}

/** The derived data of all collections of a table: counts, leaderboards, and what projections of your own keep. */
export interface Derived {
  /**
   * Recounts derived data from the items, and tells every difference, while the table is written to and the projections run.
   * It writes nothing but a few probes, by which it knows that it has read all of the change stream. The index keys of the items
   * are looked at too, under the name `keys`; a backfill mends those. Errors: `aborted`,
   * `unavailable`, `table_mismatch`.
   *
   * @example
   * ```ts run
   * const { differenceCount } = await lapidary.derived.verify()
   * const ofSome = await lapidary.derived.verify({ sample: 20 })
   * const ofTheLastHour = await lapidary.derived.verify({ since: Date.now() - 3_600_000 })
   * ```
   */
  verify(options?: VerifyOptions): Promise<Verification>
  /**
   * Mends every difference of derived data that `verify` would tell, and nothing else. It can be stopped or killed at any moment and run
   * again. Errors: `unavailable` when another process mends already, `aborted`, `table_mismatch`.
   *
   * @example
   * ```ts run
   * await lapidary.derived.repair()
   * ```
   */
  repair(options?: MendOptions): Promise<Mending>
  /**
   * Brings derived data to what the items say, also when there never was any: of one projection by its name (`counts`, `leaderboards`, one
   * of your own), or of all that is counted, which is called `statistics`. By the name `duplicates`, those of a layout that has them.
   * Errors: as `repair`, and `unprocessable` for a name that no projection has.
   *
   * @example
   * ```ts run
   * await lapidary.derived.rebuild('statistics') // as rebuild()
   * await lapidary.derived.rebuild('leaderboards')
   * ```
   */
  rebuild(projection?: string, options?: MendOptions): Promise<Mending>
  /**
   * Makes the page indexes anew from the items, while they are written to, or with `missing` those that are not built; until it is done, their pages have cursors
   * only. Errors: `not_implemented` without a page index, `unavailable`, `aborted`.
   *
   * @example
   * ```ts run
   * const { items } = await lapidary.derived.rebuildPages({ capacity: 200 })
   * ```
   */
  rebuildPages(options?: RebuildPagesOptions): Promise<PagesRebuilt>
  /**
   * Leaderboards with places that no reader finds, since they had more shards before: `rebuild('leaderboards')` moves them.
   *
   * @example
   * ```ts run
   * for (const { board, shards } of await lapidary.derived.undeclaredShards()) console.warn(board, shards)
   * ```
   */
  undeclaredShards(): Promise<readonly UndeclaredShards[]>
}

const MEND_NAMES: OptionNames<MendOptions> = { ...MAINTENANCE_NAMES, owner: true, poll: true, leaseMs: true }
/** Those of a repair too, which may be given the same. */
const VERIFY_NAMES: OptionNames<VerifyOptions & MendOptions> = { ...MEND_NAMES, sample: true, since: true }
const REBUILD_PAGES_NAMES: OptionNames<RebuildPagesOptions> = { ...MAINTENANCE_NAMES, missing: true }

/** What the command line calls it. */
const PAGE_INDEX = 'page-index'

export function derivedDataOf(database: Database): Derived {
  const settings = { idleMs: paceOf(database.stream).idleMs }
  return Object.freeze<Derived>({
    async verify(asked = {}) {
      const { sample, since, ...given } = knownOptions('verify', asked, VERIFY_NAMES)
      const options = { ...settings, ...given }
      if (sample === undefined && since === undefined) return verifyAll(database, options)
      if (sample !== undefined && since !== undefined) {
        throw new LapidaryError('unprocessable', 'a sample is of all items, not of recent ones; say sample or since')
      }
      const found = await verifySome(database, options, { sample, since })
      return { ...found, pagesNotVerified: await pagesOf(database, 'sample') }
    },
    async repair(options) {
      knownOptions('repair', options, MEND_NAMES)
      const { repair } = await import('../recount/mend.ts')
      return repair(await withCompared(database), { ...settings, ...options })
    },
    async rebuild(projection, options) {
      knownOptions('rebuild', options, MEND_NAMES)
      const derived = await derivedOf(database)
      const isOwn = derived.projections.some(({ name }) => name === projection)
      if (projection === DUPLICATES && !isOwn) {
        const { rebuildDuplicates } = await import('../recount/duplicates/rebuild-duplicates.ts')
        return rebuildDuplicates(derived, await requireDuplicates(database), { ...settings, ...options })
      }
      const { rebuild } = await import('../recount/mend.ts')
      if (projection === PAGE_INDEX && !isOwn)
        throw new LapidaryError('unprocessable', 'page indexes are made anew by derived.rebuildPages(); rebuild counts')
      return rebuild(derived, { ...settings, ...options }, projection === STATISTICS ? undefined : projection)
    },
    async rebuildPages(options) {
      knownOptions('rebuildPages', options, REBUILD_PAGES_NAMES)
      const { rebuildPages } = await import('../recount/pages/rebuild-pages.ts')
      return rebuildPages({ ...database, streams: () => streamsOf(database) }, database.contexts, {
        ...settings,
        ...options,
      })
    },
    async undeclaredShards() {
      const { undeclaredShards } = await import('../derived/leaderboards/undeclared-shards.ts')
      const { table, contexts } = database
      return (
        await Promise.all(contexts.map(({ collection, layout }) => undeclaredShards(table, collection, layout)))
      ).flat()
    },
  })
}

/** The page indexes of all collections, none of which is compared. */
async function pagesOf({ contexts }: Database, reason: UnverifiedPages['reason']): Promise<readonly UnverifiedPages[]> {
  const { unverified } = await import('../recount/compared-pages.ts')
  return contexts.flatMap(({ collection, pages }) => pages.map((index) => unverified(collection, index, reason)))
}

/** Derived data with what only a look at every entry can compare: the page index, and duplicates. */
async function withCompared(database: Database): Promise<DerivedData> {
  const derived = await derivedOf(database)
  const compared: ComparedPages[] = [...(await inspectDuplicates(database))]
  if (database.contexts.some(({ pages }) => pages.length > 0)) {
    const { inspectPages } = await import('../recount/pages/page-inspection.ts')
    compared.push(...inspectPages(database.contexts, derived.streams))
  }
  return { ...derived, compared }
}

/** One for each collection whose items have duplicates, by the declaration or by what the table knows beside it. */
async function inspectDuplicates({ contexts }: Database): Promise<readonly DuplicatesInspection[]> {
  const written = await Promise.all(
    contexts.map(async (context) => ({
      ...context,
      layout: layoutKeeping(context.layout, await context.states.kept()),
    })),
  )
  const having = written.filter(({ layout }) => layout.duplicates !== undefined)
  if (having.length === 0) return []
  const { DuplicatesInspection } = await import('../recount/duplicates/duplicates-inspection.ts')
  return having.map((context) => new DuplicatesInspection(context))
}

async function requireDuplicates(database: Database): Promise<readonly DuplicatesInspection[]> {
  const found = await inspectDuplicates(database)
  if (found.length > 0) return found
  throw new LapidaryError('unprocessable', 'there are no duplicates: the layout gives each item one entry')
}

/** Some scopes, chosen by chance or by what changed. */
async function verifySome(
  database: Database,
  options: MaintenanceOptions,
  { sample = 0, since }: { readonly sample: number | undefined; readonly since: number | undefined },
): Promise<Verification> {
  const derived = await derivedOf(database)
  const collections = database.contexts.map((context) => {
    const { name } = context.collection
    return { context, projections: database.projections.filter(({ collection }) => collection === name) }
  })
  const duplicates = await inspectDuplicates(database)
  if (since !== undefined) {
    const { verifySince } = await import('../recount/scopes/verify-since.ts')
    return verifySince(derived, { collections, duplicates }, options, since)
  }
  const [{ verifyScopes }, { chooseScopes }] = await Promise.all([
    import('../recount/scopes/verify-scopes.ts'),
    import('../recount/scopes/sample-scopes.ts'),
  ])
  return verifyScopes(
    { ...derived, compared: duplicates },
    options,
    (inspection) => chooseScopes(collections, sample, inspection),
    (key) => {
      for (const each of duplicates) each.suspect(key)
    },
  )
}

/** Derived data, and the index keys of the items from which it is recounted. */
async function verifyAll(database: Database, options: MaintenanceOptions): Promise<Verification> {
  const [{ verify }, { inspectKeys }, derived] = await Promise.all([
    import('../recount/verify.ts'),
    import('../recount/key-inspection.ts'),
    withCompared(database),
  ])
  return verify({ ...derived, compared: [await inspectKeys(database.contexts), ...(derived.compared ?? [])] }, options)
}
