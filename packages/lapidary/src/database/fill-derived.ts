import { type CopyProjection, isBuilt } from '../derived/copy-projection.ts'
import { copiesOf, isRegistered, isSum, madeBy, type Projection, sumsOf } from '../derived/projection.ts'
import type { DerivedRegister } from '../derived/register/derived-register.ts'
import { stateOf } from '../derived/register/derived-states.ts'
import { projectionShape, shapeId } from '../derived/register/shape.ts'
import { fillCopies } from '../recount/fill-copies.ts'
import type { Mending } from '../recount/maintenance-options.ts'
import { type MendOptions, rebuild } from '../recount/mend.ts'
import { settleCopies } from '../recount/settle-copies.ts'
import { countDeadLetters } from '../stream/dead-letters.ts'
import { type Database, derivedOf, streamsOf } from './database.ts'

/** What was filled. */
export interface Filling {
  /** How many kinds of derived data are ready now that were not. */
  readonly filled: number
}

/**
 * Brings projections to what the items say, those that are not ready too, and marks them ready. Every process keeps them from before the first
 * look that they are made by: sums at exact snapshots, copies from a scan, or as an inspection finds them.
 *
 * @param chosen Undefined for all sums, with what gaps and dead letters tell of.
 */
export async function rebuildProjections(
  database: Database,
  chosen: readonly Projection[] | undefined,
  options: MendOptions,
): Promise<Mending> {
  if (chosen === undefined) return rebuildSums(database, undefined, options)
  const made: Mending[] = []
  const sums = chosen.filter(isSum)
  if (sums.length > 0) made.push(await rebuildSums(database, sums, options))
  const copies = copiesOf(chosen)
  const looked = copies.filter((copy) => madeBy(copy) === 'inspection')
  if (looked.length > 0) made.push(await settle(database, looked, options))
  const filled = copies.filter((copy) => madeBy(copy) === 'fill')
  if (filled.length > 0) made.push(await fill(database, filled, options))
  return made.reduce(together)
}

async function rebuildSums(
  database: Database,
  chosen: readonly Projection[] | undefined,
  options: MendOptions,
): Promise<Mending> {
  const { shapes, projections } = database
  const wanted = (chosen ?? sumsOf(projections)).map(projectionShape)
  const keptSince = await shapes.beginFilling(wanted)
  const ids = new Set(wanted.map(shapeId))
  const isWanted = (projection: Projection): boolean => ids.has(shapeId(projectionShape(projection)))
  const derived = { ...(await derivedOf(database, { states: ['filling', 'ready'] })), keptSince }
  const mending = await rebuild(derived, options, chosen && isWanted)
  await shapes.markReady(wanted, keptSince)
  // It ends when everything is counted that the stream has told of.
  await shapes.caughtUp()
  return mending
}

async function settle(database: Database, copies: readonly CopyProjection[], options: MendOptions): Promise<Mending> {
  const { shapes, projections } = database
  const { compared = [], ...derived } = await derivedOf(database, {
    compares: (each) => copies.includes(each),
    isMade: true,
  })
  return settleCopies({ ...derived, shapes, compared }, projections, options)
}

async function fill(database: Database, copies: readonly CopyProjection[], options: MendOptions): Promise<Mending> {
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
 * Makes what this process declares and the table does not hold completely. A store that is away holds up no other.
 *
 * @throws The first error, once all else is made.
 */
export async function fillDerived(database: Database, options: MendOptions): Promise<Filling> {
  const before = await unreadyOf(database, await database.derivedStates.register(0))
  const failures: unknown[] = []
  const make = async (some: readonly Projection[]): Promise<void> => {
    if (some.length === 0) return
    await rebuildProjections(database, some, options).catch((error: unknown) => failures.push(error))
  }
  await make(before.filter(isSum))
  const copies = copiesOf(before)
  for (const store of new Set(copies.map(({ apart }) => apart))) {
    const own = copies.filter(({ apart }) => apart === store)
    await make(own.filter((copy) => madeBy(copy) === 'inspection'))
    const filled = own.filter((copy) => madeBy(copy) === 'fill')
    if (filled.length === 0) continue
    const where = { ...database, streams: () => streamsOf(database) }
    await fillCopies(where, filled, { ...options, missing: true }).catch((error: unknown) => failures.push(error))
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
