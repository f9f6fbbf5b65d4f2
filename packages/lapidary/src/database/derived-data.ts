import { EVERYTHING, STATISTICS } from '../derived/collection-projections.ts'
import type { CopyProjection } from '../derived/copy-projection.ts'
import { copiesOf, isRegistered, isSum, madeBy, type Projection, sumsOf } from '../derived/projection.ts'
import type { ShapeState } from '../derived/register/derived-register.ts'
import { shapeId } from '../derived/register/shape.ts'
import { DUPLICATES } from '../duplicates/duplicates-shape.ts'
import { LapidaryError } from '../model/errors.ts'
import { knownOptions, type OptionNames } from '../model/known-options.ts'
import { PAGES } from '../pages/keep-pages.ts'
import type { CopiesFilled, FillOptions } from '../recount/fill-copies.ts'
import type { MaintenanceOptions, Mending, Verification } from '../recount/maintenance-options.ts'
import type { MendOptions } from '../recount/mend.ts'
import { type Database, derivedOf, paceOf, streamsOf } from './database.ts'
import type { Filling } from './fill-derived.ts'

/** How much is verified. */
export interface VerifyOptions extends MaintenanceOptions {
  /** Only so many scopes, chosen by chance; everything when not given. */
  readonly sample?: number
  /** Only what changed since this time, in milliseconds since 1970, as far as the change stream remembers it: a day. */
  readonly since?: number
}

/** One kind of derived data of a collection. */
export interface DerivedState {
  /** The collection's own name: `COMMENT`. */
  readonly collection: string
  /** `counts`, `leaderboards`, `pages`, `duplicates`, or what a projection of your own is called. */
  readonly name: string
  /** `ready`: it holds every item. */
  readonly state: ShapeState | 'absent'
  /** Whether this process declares it; else a process of another declaration does, or did. */
  readonly isDeclared: boolean
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
   * Brings derived data to what the items say, also when there never was any: of one projection by its name (`counts`, `leaderboards`, `pages`,
   * `duplicates` of a layout that has them, one of your own), of all that is counted, which is called `statistics`, or of `all`, from one scan of the
   * table. Of a copy that is filled from a scan it tells `items` and `capacity`, and compares nothing.
   * Errors: as `repair`, and `unprocessable` for a name that no projection has.
   *
   * @example
   * ```ts run
   * await lapidary.derived.rebuild('statistics') // as rebuild()
   * await lapidary.derived.rebuild('leaderboards')
   * await lapidary.derived.rebuild('all')
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
  rebuildPages(options?: FillOptions): Promise<CopiesFilled>
  /**
   * What is derived, by this declaration and by others that are at work: whether it is known, and who keeps it.
   *
   * @example
   * ```ts run
   * const unknown = (await lapidary.derived.states()).filter(({ isDeclared, state }) => isDeclared && state !== 'ready')
   * ```
   */
  states(): Promise<readonly DerivedState[]>
  /**
   * Shards of which the change stream has lost changes, which no repair has made up for: counts, leaderboards and page numbers in the table
   * are not known until then.
   *
   * @example
   * ```ts run
   * if ((await lapidary.derived.gaps()).length > 0) await lapidary.derived.repair()
   * ```
   */
  gaps(): Promise<readonly string[]>
  /**
   * Makes what this process declares and the table does not hold, or does not hold completely, as `rebuild` and `rebuildPages` do: what a
   * process that follows the change stream does by itself. Nothing happens where all is ready. Errors: as `rebuild`.
   *
   * @example
   * ```ts run
   * const { filled } = await lapidary.derived.fill({ capacity: 200 })
   * ```
   */
  fill(options?: MendOptions): Promise<Filling>
}

const MAINTENANCE_NAMES: OptionNames<MaintenanceOptions> = {
  ...{ capacity: true, segments: true, idleMs: true, signal: true, onProgress: true, onDifference: true },
}
const MEND_NAMES: OptionNames<MendOptions> = { ...MAINTENANCE_NAMES, owner: true, poll: true, leaseMs: true }
/** Those of a repair too, which may be given the same. */
const VERIFY_NAMES: OptionNames<VerifyOptions & MendOptions> = { ...MEND_NAMES, sample: true, since: true }
const FILL_NAMES: OptionNames<FillOptions> = { ...MAINTENANCE_NAMES, missing: true }

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
        throw new LapidaryError(
          'unprocessable',
          'a sample is drawn from all items, not from recent ones; give sample or since, not both',
        )
      }
      return verifySome(database, options, { sample, since })
    },
    async repair(options) {
      knownOptions('repair', options, MEND_NAMES)
      const { repair } = await import('../recount/mend.ts')
      return repair(await derivedOf(database, { compares: () => true }), { ...settings, ...options })
    },
    async rebuild(name, options) {
      knownOptions('rebuild', options, MEND_NAMES)
      const chosen = chosenOf(database, name)
      if (chosen.every((each) => madeBy(each) === 'nothing')) throw noProjection(database, name)
      if (name === DUPLICATES && chosen.every((each) => !('apply' in each))) await requireDuplicates(copiesOf(chosen))
      const { rebuildProjections } = await import('./fill-derived.ts')
      return rebuildProjections(database, chosen, { ...settings, ...options })
    },
    async rebuildPages(options) {
      knownOptions('rebuildPages', options, FILL_NAMES)
      const pages = copiesOf(database.projections).filter(({ name }) => name === PAGES)
      if (pages.length === 0)
        throw new LapidaryError('not_implemented', 'there is no page index; say `derived: { pages }`')
      const { fillCopies } = await import('../recount/fill-copies.ts')
      return fillCopies({ ...database, streams: () => streamsOf(database) }, pages, { ...settings, ...options })
    },
    async states() {
      const { shapes } = await database.derivedStates.register(0)
      const ownIds = new Set(database.shapes.own.map(shapeId))
      const registered = [...shapes].map(([id, { collection, name, state }]) => ({
        ...{ collection, name, state, isDeclared: ownIds.has(id) },
      }))
      const absent = database.shapes.own.filter((shape) => !shapes.has(shapeId(shape)))
      const missing = absent.map(
        ({ collection, name }) => ({ collection, name, state: 'absent', isDeclared: true }) as const,
      )
      return [...registered, ...missing]
    },
    gaps: async () => [...(await database.derivedStates.register()).gaps],
    async fill(options) {
      const { fillDerived } = await import('./fill-derived.ts')
      return fillDerived(database, { ...settings, ...options })
    },
  })
}

/** What a word of a rebuild stands for. */
function chosenOf({ projections }: Database, word: string = STATISTICS): readonly Projection[] {
  if (word === STATISTICS) return sumsOf(projections)
  // Where the layout has no duplicates, or a copy can't be made, there is nothing to do.
  if (word === EVERYTHING)
    return projections.filter((each) => isRegistered(each) || (!isSum(each) && each.fill !== undefined))
  return projections.filter(({ name }) => name === word)
}

function noProjection({ projections }: Database, name: string | undefined): LapidaryError {
  if (name === PAGE_INDEX) {
    return new LapidaryError('unprocessable', 'page indexes are made anew by derived.rebuildPages(); rebuild counts')
  }
  const isNamed = (each: Projection): boolean => isRegistered(each) || (!isSum(each) && each.apart !== undefined)
  const names = new Set([STATISTICS, EVERYTHING, ...projections.filter(isNamed).map((projection) => projection.name)])
  return new LapidaryError('unprocessable', `there is no projection ${name}; there are ${[...names].join(', ')}`, {
    details: { names: [...names] },
  })
}

async function requireDuplicates(copies: readonly CopyProjection[]): Promise<void> {
  const found = await Promise.all(copies.map((each) => each.inspect?.()))
  if (found.some((each) => each !== undefined)) return
  throw new LapidaryError('unprocessable', 'there are no duplicates: the layout gives each item one entry')
}

/** Some scopes, chosen by chance or by what changed. */
async function verifySome(
  database: Database,
  options: MaintenanceOptions,
  { sample = 0, since }: { readonly sample: number | undefined; readonly since: number | undefined },
): Promise<Verification> {
  const { compared: copies = [], ...derived } = await derivedOf(database, { compares: () => true })
  const sums = sumsOf(derived.projections)
  const collections = database.contexts.map((context) => {
    const { name } = context.collection
    return { context, projections: sums.filter(({ collection }) => collection === name) }
  })
  const compared = copies.filter(({ looksAtSome }) => looksAtSome)
  const leftOut = copies.filter(({ looksAtSome }) => !looksAtSome)
  const notVerified = (found: Verification): Verification => ({
    ...found,
    notVerified: [...found.notVerified, ...leftOut.map((each) => each.notVerifiedFor({ reason: 'sample' }))],
  })
  if (since !== undefined) {
    const { verifySince } = await import('../recount/scopes/verify-since.ts')
    return notVerified(await verifySince({ ...derived, compared }, collections, options, since))
  }
  const [{ verifyScopes }, { chooseScopes }] = await Promise.all([
    import('../recount/scopes/verify-scopes.ts'),
    import('../recount/scopes/sample-scopes.ts'),
  ])
  const found = await verifyScopes(
    { ...derived, compared },
    options,
    (inspection) => chooseScopes(collections, sample, inspection),
    (key) => {
      for (const each of compared) each.suspect(key)
    },
  )
  return notVerified(found)
}

/** Derived data, and the items from which it is recounted: their index keys, and whether they can be read. */
async function verifyAll(database: Database, options: MaintenanceOptions): Promise<Verification> {
  const [{ verify }, { keysProjection }, { valuesProjection }, { compareCopies }, derived] = await Promise.all([
    import('../recount/verify.ts'),
    import('../recount/key-inspection.ts'),
    import('../recount/value-inspection.ts'),
    import('../recount/compared-copy.ts'),
    derivedOf(database, { compares: () => true }),
  ])
  const found = { unreadable: 0, unreadableItems: [] }
  const looked = database.contexts.flatMap((context) => [keysProjection(context), valuesProjection(context, found)])
  const compared = [...(await compareCopies(looked, derived)), ...(derived.compared ?? [])]
  return { ...(await verify({ ...derived, compared }, options)), ...found }
}
