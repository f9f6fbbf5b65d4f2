import { randomUUID } from 'node:crypto'
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { statisticsProjection } from '../derived/counts/counts.ts'
import { LapidaryError } from '../model/errors.ts'
import { clearGap, readCheckpoint } from '../stream/checkpoint.ts'
import { markCountsComplete } from '../stream/counted-mark.ts'
import { type Poller, startPoller } from '../stream/poller.ts'
import { createRunner } from '../stream/runner.ts'
import { catchUp } from './catch-up.ts'
import { differencesOf } from './difference.ts'
import { Inspection } from './inspection.ts'
import { takeMaintenanceLease } from './maintenance-lease.ts'
import type { MaintenanceOptions, Mending, WithContext } from './maintenance-options.ts'
import { type Correction, correctionOf, type MendContext, mend } from './mend-units.ts'
import { coverPoison, forgetCovered } from './poison-cover.ts'
import type { Unit } from './tally.ts'

export interface MendOptions extends MaintenanceOptions {
  /** Who does it, for whoever is refused meanwhile; a made-up name when not given. Unique. */
  readonly owner?: string
  /** Whether the projections run in this process as far as nobody else runs them. True when not given. */
  readonly poll?: boolean
  /** Milliseconds after which somebody else may take over from a process that died; 6000 when not given. */
  readonly leaseMs?: number
}

const LEASE_MS = 6_000
const MOST_PASSES = 5
const MOST_LOST_ANSWERS = 5
const TAKE_OVER_MS = 60_000
const LOOK_MS = 200

/**
 * Mends every difference that {@link verifyStatistics} would tell, and touches nothing else, while the table is written to
 * and the projections run. Records that were set aside are counted, and forgotten; gaps of the stream are made up for. It can
 * be stopped or killed at any moment and run again.
 *
 * @param clients Clients of all collections of the table.
 * @throws {LapidaryError} `unavailable` when another process mends already, `aborted`, `table_mismatch`.
 */
export function repairStatistics(clients: readonly WithContext[], options: MendOptions): Promise<Mending> {
  return mendStatistics(clients, options, false)
}

/**
 * Brings statistics and leaderboards to what the items say, also when there never were any. As {@link repairStatistics}, but
 * every statistics item is compared at an exact cut, whatever the scan saw of it, and the changes that the projections have
 * not got to are counted before it ends.
 *
 * @throws {LapidaryError} `unavailable` when another process mends already, `aborted`, `table_mismatch`.
 */
export function rebuildStatistics(clients: readonly WithContext[], options: MendOptions): Promise<Mending> {
  return mendStatistics(clients, options, true)
}

async function mendStatistics(clients: readonly WithContext[], options: MendOptions, every: boolean): Promise<Mending> {
  await using inspection = new Inspection(clients, options)
  const { table } = inspection
  const owner = options.owner ?? randomUUID()
  const clock = (clients[0] as WithContext).context.clock
  await using lease = await takeMaintenanceLease(table, {
    owner,
    leaseMs: options.leaseMs ?? LEASE_MS,
    clock,
    onLost: (error) => inspection.abort(error),
  })
  if (every) await inspection.skipBacklog(options.leaseMs ?? LEASE_MS)
  await using _poller = options.poll === false ? undefined : pollerFor(clients, options)
  await inspection.begin()
  await runnerIsPast(inspection, clock)
  const context: MendContext = { table, budget: inspection.budget, fence: lease.fence, signal: inspection.signal }
  const mended = new Set<Unit>()
  for (let pass = 1; ; pass++) {
    const covered = await coverPoison(table)
    // A record that is set aside between two cuts is in the truth of the one and not of the other.
    if (pass > 1 && covered === 0) break
    if (pass > MOST_PASSES) {
      throw new LapidaryError(
        'unavailable',
        'records keep being set aside; see why (lapidary doctor), then run it again',
      )
    }
    const units = every || pass > 1 ? inspection.truth.tally.units : await inspection.suspects()
    await mendAll(inspection, context, [...units], mended)
  }
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

async function mendAll(
  inspection: Inspection,
  context: MendContext,
  units: readonly Unit[],
  mended: Set<Unit>,
): Promise<void> {
  let left = units
  for (let attempt = 1; left.length > 0; attempt++) {
    if (attempt > MOST_LOST_ANSWERS) {
      throw new LapidaryError('unavailable', 'the answers of DynamoDB kept being lost; run it again to go on')
    }
    const unsure: Unit[] = []
    for await (const { units: cut, entries } of inspection.cutsOf(left)) {
      const corrections: Correction[] = []
      for (const unit of cut) {
        const counts = inspection.truth.tally.countsOf(unit)
        const differences = differencesOf(unit, counts, entries)
        if (differences.length === 0) continue
        if (!mended.has(unit)) inspection.report(differences)
        mended.add(unit)
        const actual = entries.get(`${unit.target.PK}\u0000${unit.target.SK}`)
        corrections.push({ unit, delta: correctionOf(counts, actual), at: inspection.countedUntil() })
      }
      unsure.push(...(await inspection.guarded(mend(context, corrections, entries))))
    }
    left = unsure
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
        `nobody counts the changes of ${behind.map(({ shardId }) => shardId).join(', ')}; run the projections (lapidary stream, or the server) and try again`,
      )
    }
    await inspection.guarded(table.sleep(LOOK_MS))
  }
}

/** Runs the projections of shards that nobody has the lease of, so that no change is lost to the stream's retention. */
function pollerFor(clients: readonly WithContext[], { clientConfig, streams, idleMs }: MendOptions): Poller {
  const projections = clients.map(({ context: { collection, codec, layout, table } }) =>
    statisticsProjection({ collection, codec, layout, tableName: table.tableName }),
  )
  const { table } = (clients[0] as WithContext).context
  return startPoller({
    streams: streams ?? new DynamoDBStreamsClient(clientConfig),
    runner: createRunner({ table, projections }),
    ...(idleMs === undefined ? {} : { idleMs }),
  })
}
