import type { Poller } from '../stream/poller.ts'
import { waitUntil } from '../stream/wait-until.ts'
import type { Inspection } from './inspection.ts'
import type { LogShard } from './log-shard.ts'

const LOOK_MS = 200
const RUN_IT = 'run the projections (lapidary stream, or the server)'

/** That of this process, where it has one: it may read much that it has nothing to count of. */
type OwnPoller = Pick<Poller, 'status'> | undefined

const backlogReadsOf = (poller: OwnPoller): number => poller?.status().backlogReads ?? 0

/**
 * Waits until the runner has counted everything that was written by now.
 *
 * @throws {LapidaryError} `unavailable` when nothing is counted for a minute.
 */
export async function untilCounted(inspection: Inspection, poller: OwnPoller): Promise<void> {
  const { log, meter, table, now } = inspection
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
    left: () => (left() === 0 ? undefined : `${left()} ${backlogReadsOf(poller)}`),
    async pause() {
      await inspection.guarded(table.sleep(LOOK_MS))
      await inspection.guarded(inspection.fold())
    },
    now,
    gaveUp: () => `no process counts the ${left()} changes that are left; ${RUN_IT}`,
  })
}

/**
 * Waits until the runner has counted something of every shard of which records may drop out of the stream, or have dropped out, that are
 * read here and that it then never counts. The gaps that are noted by then are made up for by what comes after.
 *
 * @throws {LapidaryError} `unavailable` when nothing is counted for a minute.
 */
export async function untilPast(inspection: Inspection, poller: OwnPoller): Promise<void> {
  const { table, log, now } = inspection
  let behind: readonly LogShard[] = []
  await waitUntil({
    async left() {
      const open = log.open()
      const checkpoints = await inspection.readCheckpoints(open)
      for (const [shardId, checkpoint] of checkpoints) inspection.noteGap(shardId, checkpoint)
      behind = open.filter((shard) => shard.mayLose(checkpoints.get(shard.shardId)))
      // A shard is counted after those before it, which may have much.
      const awaited = behind.flatMap((shard) => log.lineage.upTo(shard))
      const seen = awaited.map(({ shardId }) => checkpoints.get(shardId)?.sequenceNumber)
      return behind.length === 0 ? undefined : JSON.stringify([seen, backlogReadsOf(poller)])
    },
    pause: () => inspection.guarded(table.sleep(LOOK_MS)),
    now,
    gaveUp: () =>
      `no process counts the changes of ${behind.map(({ shardId }) => shardId).join(', ')}; ${RUN_IT} and try again`,
  })
  inspection.areGapsKnown = true
}
