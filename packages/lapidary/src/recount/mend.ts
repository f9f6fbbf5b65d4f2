import { randomUUID } from 'node:crypto'
import { LapidaryError } from '../model/errors.ts'
import { clearGap, passShard, retireShard } from '../stream/checkpoint.ts'
import { listDeadLetters } from '../stream/dead-letters.ts'
import { countedOf } from '../stream/followers.ts'
import { holdLease } from '../stream/lease.ts'
import { type Poller, startPoller } from '../stream/poller.ts'
import { createRunner } from '../stream/runner.ts'
import { catchUp, untilPast } from './catch-up.ts'
import { correctionOf, type MendContext, mend } from './correction.ts'
import { differingOf } from './difference.ts'
import { beginFence } from './fence.ts'
import { forgetDeadLetters } from './forget-dead-letters.ts'
import { Inspection } from './inspection.ts'
import type { DerivedData, MaintenanceOptions, Mending } from './maintenance-options.ts'
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

/** How much is mended. */
interface MendPlan {
  /** Whether every derived item is read at an exact snapshot, whatever the scan saw of it. */
  readonly every: boolean
  /** The only projection that is mended; all when not given. */
  readonly only?: string | undefined
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
 * Brings derived data to what the items say, also when there never was any. As {@link repair}, but every derived item is
 * compared at an exact snapshot, and the changes that the projections have not got to are counted before it ends.
 *
 * @param only The projection to rebuild, by name; all when not given. Gaps and dead letters concern all, so they stay when
 * only one is rebuilt.
 * @throws {LapidaryError} `unavailable` when another process mends already, `unprocessable` for a name that no projection has, `aborted`, `table_mismatch`.
 */
export async function rebuild(derived: DerivedData, options: MendOptions, only?: string): Promise<Mending> {
  const names = new Set(derived.projections.map(({ name }) => name))
  if (only !== undefined && !names.has(only)) {
    throw new LapidaryError('unprocessable', `there is no projection ${only}; there are ${[...names].join(', ')}`)
  }
  return mendDerived(derived, options, { every: true, only })
}

async function mendDerived(derived: DerivedData, options: MendOptions, { every, only }: MendPlan): Promise<Mending> {
  await using inspection = new Inspection(derived, options)
  const { table, clock } = derived
  const leaseMs = options.leaseMs ?? LEASE_MS
  const leased = { key: LEASE_KEY, owner: options.owner ?? randomUUID(), leaseMs, clock }
  await using _lease = await holdLease(table, leased, 'this derived data', (error) => inspection.abort(error))
  const fence = await beginFence(table, LEASE_KEY, leased.owner)
  // A rebuild makes up for what is skipped, but not in copies.
  const skips = every && only === undefined && countedOf(derived).copies?.length === 0
  const poll = (): Poller | undefined => (options.poll === false ? undefined : pollerFor(derived, options))
  // A backlog is skipped only as long as no process counts.
  await using _before = skips ? undefined : poll()
  const pages = every ? undefined : derived.pages
  await inspection.begin({ skips })
  await using _after = skips ? poll() : undefined
  await untilPast(inspection, clock)
  // The log does not tell what is left of a stream that was switched off: what is counted of it after a snapshot would count twice, and
  // what was counted of it meanwhile may be in items that the scan did not see.
  const { foreignShards } = inspection
  for (const shardId of foreignShards) await retireShard(table, shardId, clock())
  if (foreignShards.length > 0) await inspection.seeAgain()
  const context: MendContext = { table, budget: inspection.budget, fence, signal: inspection.signal }
  const mended = new Set<Target>()
  if (only !== undefined) {
    const targets = inspection.truth.tally.targets.filter(({ projection }) => projection.name === only)
    await mendAll(inspection, context, targets, mended)
    await catchUp(inspection, clock)
    return { ...(await inspection.result(targets)), mended: mended.size, deadLettersForgotten: 0, gapsCleared: 0 }
  }
  // Those that are there before the first snapshot: every snapshot is of counts that lack what they left out. Others stay for the next repair.
  const letters = await listDeadLetters(table)
  const over = inspection.log.over()
  const targets = every ? inspection.truth.tally.targets : await inspection.suspects()
  await mendAll(inspection, context, [...targets], mended)
  const entries = (await pages?.compare(inspection, { mends: true })) ?? 0
  const deadLettersForgotten = await forgetDeadLetters(table, derived.copies ?? [], letters)
  if (every) await catchUp(inspection, clock)
  let gapsCleared = 0
  // What they lost was gone before the first snapshot, whether a process has found that out by now or not.
  for (const { shardId } of over) {
    await passShard(table, shardId, clock())
    if (inspection.gaps.delete(shardId)) gapsCleared += 1
  }
  for (const [shardId, gaps] of inspection.gaps) {
    if (!(await clearGap(table, shardId, gaps))) continue
    inspection.gaps.delete(shardId)
    gapsCleared += 1
  }
  return { ...(await inspection.result()), mended: mended.size + entries, deadLettersForgotten, gapsCleared }
}

async function mendAll(
  inspection: Inspection,
  context: MendContext,
  targets: readonly Target[],
  mended: Set<Target>,
): Promise<void> {
  for await (const snapshot of inspection.snapshotsOf(targets)) {
    const differing = differingOf(snapshot, inspection.truth.tally)
    for (const { target, differences } of differing) {
      if (!mended.has(target)) inspection.report(differences)
      mended.add(target)
    }
    const at = inspection.countedUntil()
    await inspection.guarded(
      mend(
        context,
        differing.map((each) => correctionOf(each, at)),
      ),
    )
  }
}

/** Runs the projections of shards that no process has the lease of, so that no change is lost to the stream's retention. */
function pollerFor(derived: DerivedData, { idleMs }: MendOptions): Poller {
  return startPoller({
    streams: derived.streams,
    runner: createRunner({ table: derived.table, ...countedOf(derived) }),
    ...(idleMs === undefined ? {} : { idleMs }),
  })
}
