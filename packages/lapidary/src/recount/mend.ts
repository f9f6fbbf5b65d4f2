import { randomUUID } from 'node:crypto'
import type { Change } from '../derived/change.ts'
import type { CopyProjection } from '../derived/copy-projection.ts'
import { copiesOf, isRegistered } from '../derived/projection.ts'
import { noteLoss, readDerivedRegister } from '../derived/register/derived-register.ts'
import { projectionShape, type Shape } from '../derived/register/shape.ts'
import type { SumProjection } from '../derived/sum-projection.ts'
import type { LapidaryError } from '../model/errors.ts'
import { clearGap, endShard, readCheckpoints } from '../stream/checkpoint.ts'
import { retireEarlierStreams } from '../stream/counted-stream.ts'
import { listDeadLetters } from '../stream/dead-letters.ts'
import { countedOf } from '../stream/followers.ts'
import { holdLease } from '../stream/lease.ts'
import { type Poller, startPoller } from '../stream/poller.ts'
import { createRunner } from '../stream/runner.ts'
import type { TableClient } from '../table/table-client.ts'
import { untilCounted, untilPast } from './catch-up.ts'
import { beginCopies, COPIES_LEASE_KEY, type CopiesFilling, copiesText, type FilledTable } from './copies-filling.ts'
import { correctionOf, mend } from './correction.ts'
import { beginFence, type Fence } from './fence.ts'
import { forgetDeadLetters } from './forget-dead-letters.ts'
import { Inspection } from './inspection.ts'
import type { DerivedData, MaintenanceOptions, Mending } from './maintenance-options.ts'
import { type Skipping, skipBacklogs } from './skip-backlog.ts'
import type { Target } from './tally.ts'

/** How derived data is repaired or rebuilt. */
export interface MendOptions extends MaintenanceOptions {
  /** Who does it, for another process that is refused meanwhile; a made-up name when not given. Unique. */
  readonly owner?: string
  /** Whether the projections run in this process as far as no other process runs them. True when not given. */
  readonly poll?: boolean
  /** Milliseconds after which another process may take over from one that died; 6000 when not given. */
  readonly leaseMs?: number
}

const LEASE_KEY = { PK: '~MAINTENANCE', SK: '~' } as const
const LEASE_MS = 6_000

/** How much is rebuilt. */
export interface RebuildPlan {
  /** Which sums are rebuilt; all when not given. */
  readonly only?: ((projection: SumProjection) => boolean) | undefined
  /** Copies that are made from the same scan, each with a `fill`. */
  readonly copies?: readonly CopyProjection[]
  /** What copies are filled from; there where some are. */
  readonly filled?: FilledTable
  /** Which backlogs are skipped; none when not given. All that the stream keeps has to be made then. */
  readonly skips?: Skipping | undefined
}

/** How much is mended. */
interface MendPlan extends RebuildPlan {
  /** Whether every derived item is read at an exact snapshot, whatever the scan saw of it. */
  readonly every: boolean
}

/**
 * Mends every difference that {@link verify} would tell, and touches nothing else, while the table is written to and the
 * projections run. What dead letters tell of is made good, and they are forgotten; gaps of the stream are made up for. It can be
 * stopped or killed at any moment and run again.
 *
 * @throws {LapidaryError} `unavailable` when another process mends already, `aborted`, `table_mismatch`.
 */
export function repair(derived: DerivedData, options: MendOptions): Promise<Mending> {
  return mendDerived(derived, options, { every: false })
}

/**
 * Brings sums to what the items say, also when there never were any, and makes copies from the same scan. As {@link repair}, but every derived
 * item is compared at an exact snapshot, and the changes that the projections have not got to are counted before it ends.
 *
 * Gaps and dead letters concern all, so they stay when only some sums are rebuilt.
 *
 * @throws {LapidaryError} `unavailable` when another process mends already, `aborted`, `table_mismatch`; `unprocessable` where a copy could not take
 * all, once all else is made.
 */
export async function rebuild(derived: DerivedData, options: MendOptions, plan: RebuildPlan = {}): Promise<Mending> {
  return mendDerived(derived, options, { ...plan, every: true })
}

async function mendDerived(derived: DerivedData, options: MendOptions, plan: MendPlan): Promise<Mending> {
  const { every, only, copies: made = [], filled, skips } = plan
  await using inspection = new Inspection(derived, options)
  const { table, clock } = derived
  inspection.meter.enter('stream')
  // What the stream keeps beside sums, and is not made here.
  const hasCopies = copiesOf(countedOf(derived.projections)).some((copy) => !made.includes(copy))
  const leaseMs = options.leaseMs ?? LEASE_MS
  const leased = { key: LEASE_KEY, owner: options.owner ?? randomUUID(), leaseMs, clock, signal: options.signal }
  const onLost = (error: LapidaryError): void => inspection.abort(error)
  await using _lease = await holdLease(table, leased, 'this derived data', onLost)
  const copiesLease = { ...leased, key: COPIES_LEASE_KEY }
  await using _copiesLease =
    filled === undefined ? undefined : await holdLease(table, copiesLease, copiesText(made), onLost)
  const fence = await beginFence(table, LEASE_KEY, leased.owner)
  await inspection.guarded(retireEarlierStreams(derived))
  // Before copies are begun: what a process still has in hand of a backlog would come into them, and what takes it back would not.
  const inTable = made.filter(isRegistered)
  if (skips !== undefined)
    await inspection.guarded(skipBacklogs({ ...skipped(derived, inspection), ...skips, copies: inTable }))
  await using copies =
    filled === undefined ? undefined : await inspection.guarded(beginCopies(filled, made, inspection))
  await using poller = options.poll === false ? undefined : pollerFor(derived, options)
  await inspection.begin(copies && { scan: () => scanInto(copies, inspection) })
  await untilPast(inspection, poller)
  // The log does not tell what a process may still have in hand of a shard that is forgotten: what is counted of it after a snapshot would
  // count twice, and what was counted of it meanwhile may be in items that the scan did not see.
  const { foreignShards } = inspection
  for (const shardId of foreignShards) await endShard(table, shardId, clock())
  if (foreignShards.length > 0) await inspection.seeAgain()
  await inspection.requireKept()
  if (only !== undefined) {
    const targets = inspection.truth.tally.targets.filter(({ projection }) => only(projection))
    const mended = await mendAll(inspection, fence, targets)
    await untilCounted(inspection, poller)
    await copies?.finish()
    return { ...(await inspection.result(targets)), mended, deadLettersForgotten: 0, gapsCleared: 0 }
  }
  // Those that are there before the first snapshot: every snapshot is of counts that lack what they left out. Others stay for the next repair.
  const letters = await listDeadLetters(table)
  // What they tell of, or gaps lack, may not be read yet, and be in derived items that nothing else touches.
  if (letters.length > 0 || inspection.gaps.size > 0) await inspection.readLog()
  // In a closed shard there may be something left for a copy, which no item of derived data tells.
  const over = hasCopies ? [] : inspection.log.over()
  const suspects = await inspection.suspects()
  const targets = every ? inspection.truth.tally.targets : suspects
  let mended = await mendAll(inspection, fence, [...targets])
  mended += await inspection.compare({ mends: true })
  const deadLettersForgotten = await forgetDeadLetters(table, copiesOf(derived.projections), letters)
  if (every) await untilCounted(inspection, poller)
  let gapsCleared = 0
  // What they lost was gone before the first snapshot, whether a process has found that out by now or not.
  for (const { shardId } of over) {
    await endShard(table, shardId, clock(), { isMadeUpFor: true })
    if (inspection.gaps.delete(shardId)) gapsCleared += 1
  }
  // What copies lack is left to a repair, which compares them; those that it can't compare are made anew.
  const isMadeGood = !every || !hasCopies
  if (isMadeGood && (gapsCleared > 0 || inspection.gaps.size > 0)) await derived.shapes?.doubt(uncompared(derived))
  for (const [shardId, gaps] of isMadeGood ? inspection.gaps : []) {
    if (!(await clearGap(table, shardId, gaps, clock()))) continue
    inspection.gaps.delete(shardId)
    gapsCleared += 1
  }
  if (isMadeGood) await forgetUnfounded(table)
  await copies?.finish()
  return { ...(await inspection.result()), mended, deadLettersForgotten, gapsCleared }
}

/** Fills copies from the scan that the sums are made by. */
async function scanInto(copies: CopiesFilling, inspection: Inspection): Promise<void> {
  await inspection.scan((entries) => copies.see(entries))
  inspection.meter.enter('fill', copies.items)
  await copies.addAll()
}

/** What a backlog is skipped by, at the pace of the inspection. */
function skipped({ table, streams, projections, clock }: DerivedData, { probes }: Inspection) {
  const isCounted = ({ key }: Change): boolean => projections.some((each) => each.isItem(key))
  return { table, streams, clock, probes, isCounted }
}

/** The shapes of copies in the table that no look can compare. */
function uncompared({ compared = [] }: DerivedData): readonly Shape[] {
  const unlooked = compared.filter(({ projection, notVerified }) => isRegistered(projection) && notVerified.length > 0)
  return unlooked.map(({ projection }) => projectionShape(projection))
}

/** Takes back losses that the register tells of and no checkpoint does: who noted them lost the shard before it could, or has ended. */
async function forgetUnfounded(table: TableClient): Promise<void> {
  const { gaps } = await readDerivedRegister(table)
  const checkpoints = await readCheckpoints(
    table,
    [...gaps].map((shardId) => ({ shardId })),
  )
  for (const [shardId, { gap }] of checkpoints) if (!gap) await noteLoss(table, shardId, 'made up for')
}

/** How many derived items differed. */
async function mendAll(inspection: Inspection, fence: Fence, targets: readonly Target[]): Promise<number> {
  let mended = 0
  // What seems right is proven too: its dead letters and gaps are forgotten.
  for await (const differing of inspection.differing(targets, true)) {
    const at = inspection.countedUntil()
    const corrections = differing.map((each) => correctionOf(each, at))
    await inspection.guarded(mend(inspection, fence, corrections))
    mended += differing.length
  }
  return mended
}

/** Runs the projections of shards that no process has the lease of, so that no change is lost to the stream's retention. */
function pollerFor(derived: DerivedData, { idleMs }: MendOptions): Poller {
  return startPoller({
    streams: derived.streams,
    runner: createRunner({ table: derived.table, shapes: derived.shapes, projections: countedOf(derived.projections) }),
    ...(idleMs === undefined ? {} : { idleMs }),
  })
}
