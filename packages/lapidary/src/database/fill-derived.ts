import { type CopyProjection, isBuilt } from '../derived/copy-projection.ts'
import { isRegistered, isSum, type Projection, sumsOf } from '../derived/projection.ts'
import { projectionShape, shapeId } from '../derived/register/shape.ts'
import { fillCopies, stateOf } from '../recount/fill-copies.ts'
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
 * look that they are mended by: sums at exact snapshots, copies from a scan, or as an inspection finds them.
 *
 * @param chosen All of one of these three kinds; undefined for all sums, with what gaps and dead letters tell of.
 */
export async function rebuildProjections(
  database: Database,
  chosen: readonly Projection[] | undefined,
  options: MendOptions,
): Promise<Mending> {
  const wanted = chosen ?? sumsOf(database.projections)
  const filled = wanted.filter(isFilled)
  if (filled.length > 0) return fill(database, filled, options)
  const { shapes } = database
  const registered = wanted.filter(isRegistered).map(projectionShape)
  const keptSince = await shapes.beginFilling(registered)
  const ids = new Set(registered.map(shapeId))
  const isWanted = (projection: Projection): boolean => ids.has(shapeId(projectionShape(projection)))
  const mending = wanted.every(isSum)
    ? await rebuild(
        { ...(await derivedOf(database, { states: ['filling', 'ready'] })), keptSince },
        options,
        chosen && isWanted,
      )
    : await settleCopies(
        { ...(await derivedOf(database, { compares: (each) => wanted.includes(each) })), keptSince },
        options,
      )
  await shapes.markReady(registered, keptSince)
  // A rebuild of sums ends when everything is counted that the stream has told of.
  if (wanted.every(isSum)) await shapes.caughtUp()
  return mending
}

async function fill(database: Database, copies: readonly CopyProjection[], options: MendOptions): Promise<Mending> {
  const { items, capacity } = await fillCopies({ ...database, streams: () => streamsOf(database) }, copies, options)
  return {
    ...{ items, capacity, mended: 0, differences: [], differenceCount: 0, targets: 0, compared: 0 },
    ...{ uncountable: 0, uncountableItems: [], pending: 0, gaps: [], notVerified: [] },
    ...{ deadLetters: await countDeadLetters(database.table), deadLettersForgotten: 0, gapsCleared: 0 },
  }
}

function isFilled(projection: Projection): projection is CopyProjection {
  return !isSum(projection) && projection.fill !== undefined
}

/** Makes what this process declares and the table does not hold completely. */
export async function fillDerived(database: Database, options: MendOptions): Promise<Filling> {
  const before = await unreadyOf(database)
  const sums = before.filter(isSum)
  if (sums.length > 0) await rebuildProjections(database, sums, options)
  const settled = before.filter((each) => !isSum(each) && !isFilled(each))
  if (settled.length > 0) await rebuildProjections(database, settled, options)
  const all = database.projections.filter(isFilled)
  const states = await Promise.all(all.map((each) => stateOf(each, database.derivedStates)))
  if (!states.every(isBuilt)) {
    await fillCopies({ ...database, streams: () => streamsOf(database) }, all, { ...options, missing: true })
  }
  return { filled: before.length - (await unreadyOf(database)).length }
}

/** What this process declares, and neither the table nor a store apart holds completely. */
export async function unreadyOf({ projections, derivedStates }: Database): Promise<readonly Projection[]> {
  const { shapes } = await derivedStates.register(0)
  const areReady = projections.map(async (each) => {
    if (isRegistered(each)) return shapes.get(shapeId(projectionShape(each)))?.state === 'ready'
    return isSum(each) || isBuilt(await stateOf(each, derivedStates))
  })
  const ready = await Promise.all(areReady)
  return projections.filter((_, i) => !ready[i])
}
