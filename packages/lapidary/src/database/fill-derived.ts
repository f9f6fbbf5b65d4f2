import type { Change } from '../derived/change.ts'
import { type CopyProjection, isBuilt } from '../derived/copy-projection.ts'
import { copiesOf, isCounted, isRegistered, isSum, madeBy, type Projection, sumsOf } from '../derived/projection.ts'
import type { DerivedRegister } from '../derived/register/derived-register.ts'
import { stateOf } from '../derived/register/derived-states.ts'
import { projectionShape, shapeId } from '../derived/register/shape.ts'
import type { SumProjection } from '../derived/sum-projection.ts'
import { type FillOptions, fillCopies } from '../recount/fill-copies.ts'
import type { Mending } from '../recount/maintenance-options.ts'
import { type MendOptions, rebuild } from '../recount/mend.ts'
import { settleCopies } from '../recount/settle-copies.ts'
import { hasLongBacklog, type Skipping } from '../recount/skip-backlog.ts'
import { countDeadLetters } from '../stream/dead-letters.ts'
import { type Database, derivedOf, streamsOf } from './database.ts'

/** What was filled. */
export interface Filling {
  /** How many kinds of derived data are ready now that were not. */
  readonly filled: number
}

/** How projections are made: `missing` copies are those that still are once no other process makes them. */
type MakeOptions = MendOptions & Pick<FillOptions, 'missing'>

/**
 * Brings projections to what the items say, those that are not ready too, and marks them ready. Every process keeps them from before the first
 * look that they are made by: sums at exact snapshots, copies from the same scan, or as an inspection finds them.
 */
export async function rebuildProjections(
  database: Database,
  chosen: readonly Projection[],
  options: MakeOptions,
): Promise<Mending> {
  const made: Mending[] = []
  const [sums, copies] = [sumsOf(chosen), copiesOf(chosen)]
  const filled = copies.filter((copy) => madeBy(copy) === 'fill')
  if (sums.length > 0) made.push(await rebuildSums(database, sums, filled, options))
  else if (filled.length > 0) made.push(await fill(database, filled, options))
  const looked = copies.filter((copy) => madeBy(copy) === 'inspection')
  if (looked.length > 0) made.push(await settle(database, looked, options))
  return made.reduce(together)
}

async function rebuildSums(
  database: Database,
  sums: readonly SumProjection[],
  copies: readonly CopyProjection[],
  options: MendOptions,
): Promise<Mending> {
  const { shapes, projections, derivedStates } = database
  const before = await derivedStates.register(0)
  const wanted = sums.map(projectionShape)
  const keptSince = await shapes.beginFilling(wanted)
  const ids = new Set(wanted.map(shapeId))
  const isWanted = (projection: Projection): boolean => ids.has(shapeId(projectionShape(projection)))
  const isAll = sums.length === sumsOf(projections).length
  const derived = { ...(await derivedOf(database, { states: ['filling', 'ready'] })), keptSince }
  const made = [...sumsOf(derived.projections), ...copies]
  const mending = await rebuild(derived, options, {
    ...(isAll ? {} : { only: isWanted }),
    ...(copies.length === 0 ? {} : { copies, filled: { ...database, streams: () => streamsOf(database) } }),
    ...(isAll ? { skips: await skipsFor(database, made, before) } : {}),
  })
  await shapes.markReady(wanted, keptSince)
  // It ends when everything is counted that the stream has told of.
  await shapes.caughtUp()
  return mending
}

/** Which backlogs may be skipped: none where something is kept that is not made, by this declaration or another; those that a process counts where nothing was known before. */
async function skipsFor(
  { derivedStates, projections }: Database,
  made: readonly Projection[],
  before: DerivedRegister,
): Promise<Skipping | undefined> {
  const { shapes } = await derivedStates.register(0)
  const ids = new Set(made.map((each) => shapeId(projectionShape(each))))
  const areMade =
    [...shapes].every(([id, { state }]) => state === 'abandoned' || ids.has(id)) &&
    projections.every((each) => !isCounted(each) || made.includes(each) || ids.has(shapeId(projectionShape(each))))
  const isKnown = before.isCounted && [...ids].some((id) => before.shapes.get(id)?.state === 'ready')
  // A copy that passes over nothing may still get changes that a process has in hand.
  const arePassed = copiesOf(made).every((copy) => !isRegistered(copy) || copy.pass !== undefined)
  return areMade && arePassed ? { evenLeased: !isKnown } : undefined
}

async function settle(database: Database, copies: readonly CopyProjection[], options: MendOptions): Promise<Mending> {
  const { shapes, projections } = database
  const { compared = [], ...derived } = await derivedOf(database, {
    compares: (each) => copies.includes(each),
    isMade: true,
  })
  return settleCopies({ ...derived, shapes, compared }, projections, options)
}

async function fill(database: Database, copies: readonly CopyProjection[], options: MakeOptions): Promise<Mending> {
  const { items, capacity } = await fillCopies({ ...database, streams: () => streamsOf(database) }, copies, options)
  const { gaps } = await database.derivedStates.register(0)
  return {
    ...{ items, capacity, mended: 0, differences: [], differenceCount: 0, targets: 0, compared: 0 },
    ...{ uncountable: 0, uncountableItems: [], pending: 0, gaps: [...gaps], notVerified: [] },
    ...{ deadLetters: await countDeadLetters(database.table), deadLettersForgotten: 0, gapsCleared: 0 },
  }
}

/** What was made one after the other. */
function together(one: Mending, other: Mending): Mending {
  return {
    ...one,
    differences: [...one.differences, ...other.differences],
    differenceCount: one.differenceCount + other.differenceCount,
    items: Math.max(one.items, other.items),
    mended: one.mended + other.mended,
    capacity: one.capacity + other.capacity,
    notVerified: [...one.notVerified, ...other.notVerified],
  }
}

/**
 * Makes all that the table holds of derived data where nothing was ever counted and much waits in the change stream, as after an import: one scan takes a part
 * of what counting change by change takes.
 */
export async function makeFirst(database: Database, options: MendOptions): Promise<void> {
  const { table } = database
  const kept = database.projections.filter(isRegistered)
  // What an inspection makes is kept change by change all the same.
  if (kept.some((each) => madeBy(each) === 'inspection')) return
  const isCounted = ({ key }: Change): boolean => kept.some((each) => each.isItem(key))
  if (await hasLongBacklog({ table, streams: await streamsOf(database), isCounted }))
    await rebuildProjections(database, kept, options)
}

/**
 * Makes what this process declares and the table does not hold completely. A store that is away holds up no other.
 *
 * @throws The first error, once all else is made.
 */
export async function fillDerived(database: Database, options: MendOptions): Promise<Filling> {
  const before = await unreadyOf(database, await database.derivedStates.register(0))
  const failures: unknown[] = []
  const make = async (some: readonly Projection[]): Promise<void> => {
    if (some.length === 0) return
    // Another process may have made them since they were looked at.
    await rebuildProjections(database, some, { ...options, missing: true }).catch((error: unknown) =>
      failures.push(error),
    )
  }
  const apart = copiesOf(before).filter((copy) => copy.apart !== undefined)
  await make(before.filter((each) => isSum(each) || each.apart === undefined))
  for (const store of new Set(apart.map((copy) => copy.apart))) {
    const own = apart.filter((copy) => copy.apart === store)
    await make(own.filter((copy) => madeBy(copy) === 'inspection'))
    await make(own.filter((copy) => madeBy(copy) === 'fill'))
  }
  for (const failure of failures) throw failure
  const after = await unreadyOf(database, await database.derivedStates.register(0))
  return { filled: before.length - after.length }
}

/** What this process declares, and neither the table nor a store apart holds completely; a store that is away may lack anything. */
export async function unreadyOf({ projections }: Database, register: DerivedRegister): Promise<readonly Projection[]> {
  const isReady = async (projection: Projection): Promise<boolean> => {
    if (isRegistered(projection)) return register.shapes.get(shapeId(projectionShape(projection)))?.state === 'ready'
    if (isSum(projection) || projection.state === undefined || madeBy(projection) === 'nothing') return true
    return isBuilt(await stateOf(projection, register).catch(() => 'absent' as const))
  }
  const ready = await Promise.all(projections.map(isReady))
  return projections.filter((_, i) => !ready[i])
}
