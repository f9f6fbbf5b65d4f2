import { LapidaryError } from '../model/errors.ts'
import type { Inspection } from './inspection.ts'

const LOOK_MS = 200
const STANDSTILL_MS = 60_000

/**
 * Waits until the runner has counted everything that was written by now.
 *
 * @throws {LapidaryError} `unavailable` when nothing is counted for a minute.
 */
export async function catchUp(inspection: Inspection, clock: () => number): Promise<void> {
  const { log, meter, table } = inspection
  await inspection.settle()
  await inspection.guarded(inspection.fold())
  const last = new Map(log.open().map(({ shardId, steps }) => [shardId, steps.at(-1)]))
  const total = log.pending
  meter.enter('count', total)
  const isBehind = (): boolean =>
    log.open().some(({ shardId, steps }) => {
      const step = last.get(shardId)
      return step !== undefined && steps.includes(step)
    })
  let moved = { at: clock(), pending: total }
  while (isBehind()) {
    await inspection.guarded(table.sleep(LOOK_MS))
    await inspection.guarded(inspection.fold())
    const { pending } = log
    meter.done = Math.max(0, total - pending)
    if (pending < moved.pending) moved = { at: clock(), pending }
    if (clock() - moved.at > STANDSTILL_MS) {
      throw new LapidaryError(
        'unavailable',
        `no process counts the ${pending} changes that are left; run the projections (lapidary stream, or the server)`,
      )
    }
  }
}
