import { randomUUID } from 'node:crypto'
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import type { CopyProjection } from '../derived/copy-projection.ts'
import { LapidaryError } from '../model/errors.ts'
import { holdLease } from '../stream/lease.ts'
import { createCapacityBudget } from '../table/capacity-budget.ts'
import { scanTable } from '../table/scan-table.ts'
import { beginCopies, builtOf, COPIES_LEASE_KEY, copiesText, type FilledTable } from './copies-filling.ts'
import type { MaintenanceOptions } from './maintenance-options.ts'
import type { MendOptions } from './mend.ts'
import { ProgressMeter } from './progress-meter.ts'

/** How copies are made anew. */
export interface FillOptions extends MaintenanceOptions {
  /** Only those that are not built, or not to their end; those that are stay as they are. All when not given. */
  readonly missing?: boolean
}

/** What a rebuild of copies did. */
export interface CopiesFilled {
  /** Items that are in them, as the scan saw them. */
  readonly items: number
  /** Capacity units that it took. */
  readonly capacity: number
}

const LEASE_MS = 6_000
const SEGMENTS = 2

/**
 * Makes copies anew from the items, while they are written to. It can be killed at any moment and run again.
 *
 * @param all Copies that have a `fill`.
 * @throws {LapidaryError} `unprocessable` where one could not take all, once it holds all else and all others are built, `unavailable` when another
 * process does it already, `aborted`.
 */
export async function fillCopies(
  filled: FilledTable,
  all: readonly CopyProjection[],
  options: FillOptions & Pick<MendOptions, 'owner' | 'leaseMs'>,
): Promise<CopiesFilled> {
  const { table, clock, now } = filled
  const { owner = randomUUID(), leaseMs = LEASE_MS } = options
  const budget = createCapacityBudget(options.capacity ?? Number.POSITIVE_INFINITY, now)
  const lost = new AbortController()
  const signal = options.signal === undefined ? lost.signal : AbortSignal.any([options.signal, lost.signal])
  const lease = { key: COPIES_LEASE_KEY, owner, leaseMs, clock, signal }
  await using _lease = await holdLease(table, lease, copiesText(all), (error) => lost.abort(error))
  const areBuilt = options.missing === true ? await builtOf(filled, all) : []
  const chosen = all.filter((_, i) => areBuilt[i] !== true)
  if (chosen.length === 0) return { items: 0, capacity: 0 }
  const meter = new ProgressMeter({ onProgress: options.onProgress, now, capacity: () => budget.spent })
  try {
    meter.enter('scan')
    const { Table } = await table.send(new DescribeTableCommand({ TableName: table.tableName }))
    meter.total = Table?.ItemCount || undefined
    await using copies = await beginCopies(filled, chosen, { budget, signal })
    await scanTable({
      ...{ table, budget, signal, segments: options.segments ?? SEGMENTS },
      onPage(entries) {
        meter.done += entries.length
        return copies.see(entries)
      },
    })
    meter.enter('fill', copies.items)
    await copies.addAll()
    await copies.finish()
    return { items: copies.items, capacity: Math.round(budget.spent) }
  } catch (error) {
    if (options.signal?.aborted === true) {
      throw new LapidaryError('aborted', 'it was stopped; run it again to begin anew', { cause: error })
    }
    throw lost.signal.aborted ? lost.signal.reason : error
  } finally {
    meter.stop()
  }
}
