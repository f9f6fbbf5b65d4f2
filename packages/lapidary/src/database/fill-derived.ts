import { projectionShape, type Shape, shapeId } from '../derived/register/shape.ts'
import { DUPLICATES } from '../duplicates/duplicates-shape.ts'
import { isBuilt } from '../pages/page-index.ts'
import type { DuplicatesInspection } from '../recount/duplicates/duplicates-inspection.ts'
import { rebuildDuplicates } from '../recount/duplicates/rebuild-duplicates.ts'
import type { MaintenanceOptions, Mending } from '../recount/maintenance-options.ts'
import { type MendOptions, rebuild } from '../recount/mend.ts'
import { rebuildPages } from '../recount/pages/rebuild-pages.ts'
import { inspectDuplicates } from './compared-data.ts'
import { type Database, derivedOf, streamsOf } from './database.ts'

/** What was filled. */
export interface Filling {
  /** How many kinds of derived data are ready now that were not. */
  readonly filled: number
}

/**
 * Brings projections to what the items say, those that are not ready too, and marks them ready. Every process keeps them from before the first
 * snapshot that they are mended by.
 *
 * @param chosen Undefined for all, with what gaps and dead letters tell of.
 */
export async function rebuildShapes(
  database: Database,
  chosen: readonly Shape[] | undefined,
  options: MendOptions,
): Promise<Mending> {
  const { shapes, projections } = database
  const wanted = chosen ?? projections.map(projectionShape)
  const keptSince = await shapes.beginFilling(wanted)
  const derived = { ...(await derivedOf(database, ['filling', 'ready'])), keptSince }
  const ids = new Set(wanted.map(shapeId))
  const isWanted =
    chosen && ((projection: Parameters<typeof projectionShape>[0]) => ids.has(shapeId(projectionShape(projection))))
  const mending = await rebuild(derived, options, isWanted)
  await shapes.markReady(wanted, keptSince)
  // It ends when everything is counted that the stream has told of.
  await shapes.caughtUp()
  return mending
}

/** Brings duplicates to what the items say, and marks those ready that the change stream keeps. */
export async function rebuildKeptDuplicates(
  database: Database,
  inspections: readonly DuplicatesInspection[],
  options: MaintenanceOptions,
): Promise<Mending> {
  const { shapes } = database
  const kept = shapes.own.filter(({ name }) => name === DUPLICATES)
  const keptSince = await shapes.beginFilling(kept)
  const mending = await rebuildDuplicates({ ...(await derivedOf(database)), keptSince }, inspections, options)
  await shapes.markReady(kept, keptSince)
  return mending
}

/** Makes what this process declares and the table does not hold completely. */
export async function fillDerived(database: Database, options: MendOptions): Promise<Filling> {
  const { projections, contexts } = database
  const before = await unreadyShapes(database)
  const ids = new Set(before.map(shapeId))
  const counted = projections.map(projectionShape).filter((shape) => ids.has(shapeId(shape)))
  if (counted.length > 0) await rebuildShapes(database, counted, options)
  if (before.some(({ name }) => name === DUPLICATES)) {
    await rebuildKeptDuplicates(database, await inspectDuplicates(database), options)
  }
  if (await lacksPages(database)) {
    await rebuildPages({ ...database, streams: () => streamsOf(database) }, contexts, { ...options, missing: true })
  }
  return { filled: before.length - (await unreadyShapes(database)).length }
}

/** The shapes that this process declares and the table does not hold completely. */
async function unreadyShapes({ shapes, derivedStates }: Database): Promise<readonly Shape[]> {
  const register = await derivedStates.register(0)
  return shapes.own.filter((shape) => register.shapes.get(shapeId(shape))?.state !== 'ready')
}

async function lacksPages({ contexts }: Database): Promise<boolean> {
  const states = await Promise.all(contexts.flatMap(({ pages }) => pages.map((index) => index.state())))
  return !states.every(isBuilt)
}
