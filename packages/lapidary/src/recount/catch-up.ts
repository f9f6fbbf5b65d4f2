import { readCheckpoints } from '../stream/checkpoint.ts'
import { waitUntil } from '../stream/wait-until.ts'
import type { Inspection } from './inspection.ts'

const LOOK_MS = 200
const RUN_IT = 'run the projections (lapidary stream, or the server)'

/**
 * Waits until the runner has counted everything that was written by now.
 *
 * @throws {LapidaryError} `unavailable` when nothing is counted for a minute.
 */
export async function catchUp(inspection: Inspection, clock: () => number): Promise<void> {
  const { log, meter, table } = inspection
  await inspection.readLog()
  await inspection.guarded(inspection.fold())
  const last = new Map(log.open().map(({ shardId, steps }) => [shardId, steps.at(-1)]))
  const left = (): number =>
    log.open().reduce((sum, { shardId, steps }) => {
      const step = last.get(shardId)
      return sum + (step === undefined ? 0 : steps.indexOf(step) + 1)
    }, 0)
  const total = left()
  meter.enter('count', total, () => total - left())
  await waitUntil({
    isReached: () => left() === 0,
    sign: left,
    async pause() {
      await inspection.guarded(table.sleep(LOOK_MS))
      await inspection.guarded(inspection.fold())
    },
    clock,
    gaveUp: () => `no process counts the ${left()} changes that are left; ${RUN_IT}`,
  })
}

/**
 * Waits until the runner has counted something of every shard where it begins with the oldest record that is left: before,
 * records might drop out of the stream that are read here and that it then never counts.
 *
 * @throws {LapidaryError} `unavailable` when nothing is counted for a minute.
 */
export async function untilPast(inspection: Inspection, clock: () => number): Promise<void> {
  const { table, log } = inspection
  let behind: readonly string[] = []
  let seen = ''
  await waitUntil({
    async isReached() {
      const open = log.open()
      const checkpoints = await readCheckpoints(
        table,
        open.map(({ shardId }) => shardId),
      )
      for (const [shardId, checkpoint] of checkpoints) inspection.noteGap(shardId, checkpoint)
      seen = JSON.stringify([...checkpoints.values()].map(({ sequenceNumber, finished }) => [sequenceNumber, finished]))
      behind = open.filter((shard) => shard.mayLose(checkpoints.get(shard.shardId))).map(({ shardId }) => shardId)
      return behind.length === 0
    },
    // A shard is counted after those before it, which may have much.
    sign: () => seen,
    pause: () => inspection.guarded(table.sleep(LOOK_MS)),
    clock,
    gaveUp: () => `no process counts the changes of ${behind.join(', ')}; ${RUN_IT} and try again`,
  })
}
