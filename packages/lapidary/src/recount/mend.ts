import { randomUUID } from 'node:crypto'
import { LapidaryError } from '../model/errors.ts'
import { clearGap, readCheckpoint } from '../stream/checkpoint.ts'
import { markCountsComplete } from '../stream/counted-mark.ts'
import { holdLease } from '../stream/lease.ts'
import { listPoison } from '../stream/poison.ts'
import { type Poller, startPoller } from '../stream/poller.ts'
import { createRunner } from '../stream/runner.ts'
import { catchUp } from './catch-up.ts'
import { correctionOf, type MendContext, mend } from './correction.ts'
import { differingOf } from './difference.ts'
import { beginFence } from './fence.ts'
import { Inspection } from './inspection.ts'
import type { DerivedData, MaintenanceOptions, Mending } from './maintenance-options.ts'
import { coverPoison, forgetCovered } from './poison-cover.ts'
import { type Target, UNCOUNTABLE } from './tally.ts'

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
const MOST_PASSES = 5
const TAKE_OVER_MS = 60_000
const LOOK_MS = 200

/** How much is mended. */
interface MendPlan {
  /** Whether every derived item is read at an exact cut, whatever the scan saw of it. */
  readonly every: boolean
  /** The only projection that is mended; all when not given. */
  readonly only?: string | undefined
}

/**
 * Mends every difference that {@link verify} would tell, and touches nothing else, while the table is written to and the
 * projections run. Records that were set aside are counted, and forgotten; gaps of the stream are made up for. It can be
 * stopped or killed at any moment and run again.
 *
 * @throws {LapidaryError} `unavailable` when another process mends already, `aborted`, `table_mismatch`.
 */
export function repair(derived: DerivedData, options: MendOptions): Promise<Mending> {
  return mendDerived(derived, options, { every: false })
}

/**
 * Brings derived data to what the items say, also when there never was any. As {@link repair}, but every derived item is
 * compared at an exact cut, and the changes that the projections have not got to are counted before it ends.
 *
 * @param only The projection to rebuild, by name; all when not given. Gaps and records that were set aside concern all, so
 * they stay when only one is rebuilt.
 * @throws {LapidaryError} `unavailable` when another process mends already or a record that was set aside would be counted
 * twice, `unprocessable` for a name that no projection has, `aborted`, `table_mismatch`.
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
  const skips = every && only === undefined && (derived.copies ?? []).length === 0
  if (skips) await inspection.skipBacklog(leaseMs)
  await using _poller = options.poll === false ? undefined : pollerFor(derived, options)
  await inspection.begin()
  await runnerIsPast(inspection, clock)
  const context: MendContext = { table, budget: inspection.budget, fence, signal: inspection.signal }
  const mended = new Set<Target>()
  if (only !== undefined) {
    await requireNoneCountable(inspection)
    const targets = inspection.truth.tally.targets.filter(({ projection }) => projection.name === only)
    await mendAll(inspection, context, targets, mended)
    await requireNoneCountable(inspection)
    await catchUp(inspection, clock)
    return { ...(await inspection.result(targets)), mended: mended.size, poisonCovered: 0, gapsCleared: 0 }
  }
  await mendWithRecords(inspection, context, every, mended)
  const poisonCovered = await forgetCovered(table)
  if (every) await catchUp(inspection, clock)
  const gaps: string[] = []
  for (const noted of inspection.gaps) {
    if (!(await clearGap(table, noted.shardId, noted.gaps))) gaps.push(noted.shardId)
  }
  const gapsCleared = inspection.gaps.length - gaps.length
  if (every && gaps.length === 0) await markCountsComplete(table)
  return { ...(await inspection.result()), gaps, mended: mended.size, poisonCovered, gapsCleared }
}

/** Mends until no record is set aside any more: one that is set aside between two cuts is in the truth of only one of them. */
async function mendWithRecords(
  inspection: Inspection,
  context: MendContext,
  every: boolean,
  mended: Set<Target>,
): Promise<void> {
  for (let pass = 1; ; pass++) {
    const covered = await coverPoison(context.table)
    if (pass > 1 && covered === 0) return
    if (pass > MOST_PASSES) {
      throw new LapidaryError(
        'unavailable',
        'records keep being set aside; see why (lapidary doctor), then run it again',
      )
    }
    const targets = every || pass > 1 ? inspection.truth.tally.targets : await inspection.suspects()
    await mendAll(inspection, context, [...targets], mended)
  }
}

/** A record whose image can be read now is in the truth, and a replay would add it once more. */
async function requireNoneCountable({ table, truth }: Inspection): Promise<void> {
  const records = await listPoison(table)
  const countable = records.filter(
    ({ change, uncounted, tooLarge }) =>
      !tooLarge && uncounted.some((image) => truth.tally.cellOf(change.key, change[image]) > UNCOUNTABLE),
  )
  if (countable.length === 0) return
  throw new LapidaryError(
    'unavailable',
    `${countable.length} records that were set aside can be counted now, in every projection; repair does that, then run it again`,
  )
}

async function mendAll(
  inspection: Inspection,
  context: MendContext,
  targets: readonly Target[],
  mended: Set<Target>,
): Promise<void> {
  for await (const cut of inspection.cutsOf(targets)) {
    const differing = differingOf(cut, inspection.truth.tally)
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

/**
 * Waits until the runner has counted something of every shard where it begins with the oldest record that is left: before,
 * records might drop out of the stream that are read here and that it then never counts.
 */
async function runnerIsPast(inspection: Inspection, clock: () => number): Promise<void> {
  const { table, log } = inspection
  for (const began = clock(); ; ) {
    const open = log.open()
    const checkpoints = await Promise.all(open.map(({ shardId }) => readCheckpoint(table, shardId)))
    const behind = open.filter((shard, i) => {
      const checkpoint = checkpoints[i]
      return checkpoint !== undefined && shard.mayLose(checkpoint)
    })
    if (behind.length === 0) return
    if (clock() - began > TAKE_OVER_MS) {
      throw new LapidaryError(
        'unavailable',
        `no process counts the changes of ${behind.map(({ shardId }) => shardId).join(', ')}; run the projections (lapidary stream, or the server) and try again`,
      )
    }
    await inspection.guarded(table.sleep(LOOK_MS))
  }
}

/** Runs the projections of shards that no process has the lease of, so that no change is lost to the stream's retention. */
function pollerFor(derived: DerivedData, { idleMs }: MendOptions): Poller {
  return startPoller({
    streams: derived.streams,
    runner: createRunner(derived),
    ...(idleMs === undefined ? {} : { idleMs }),
  })
}
