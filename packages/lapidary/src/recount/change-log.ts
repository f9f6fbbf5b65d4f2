import { compareSequenceNumbers } from '../derived/change.ts'
import { LapidaryError } from '../model/errors.ts'
import { type Checkpoint, checkpointOf, readCheckpoint } from '../stream/checkpoint.ts'
import { followShard, pauseUnless } from '../stream/follow-shard.ts'
import { listShards, type Shard } from '../stream/shards.ts'
import type { StreamsClient } from '../stream/streams-client.ts'
import type { TableClient } from '../table/table-client.ts'
import { LogShard } from './log-shard.ts'
import type { Truth } from './truth.ts'

export interface ChangeLogOptions {
  readonly table: TableClient
  readonly streams: StreamsClient
  readonly arn: string
  readonly truth: Truth
  /** Milliseconds between reads of a shard that has nothing new. */
  readonly idleMs: number
  readonly clock: () => number
}

/**
 * The change stream from where the runner's checkpoints stand, followed in the background. Changes are kept as steps and
 * taken into the truth up to the checkpoints of a cut, never beyond.
 */
export interface ChangeLog extends AsyncDisposable {
  /** Shards that the runner has not finished, whose checkpoints belong into a cut. */
  open(): readonly LogShard[]
  /** Reads everything that was written before a time, in milliseconds since 1970. */
  readPast(at: number): Promise<void>
  /**
   * Takes every step up to the checkpoints, exactly.
   *
   * @returns false when a finished shard has children that were not known: their checkpoints belong into the cut too.
   */
  takeTo(checkpoints: ReadonlyMap<string, Checkpoint>): Promise<boolean>
  /** Records read so far, of whatever was written. */
  readonly records: number
  /** Steps that the runner has not counted yet. */
  readonly pending: number
  /** When the first of them was made, in milliseconds since 1970. */
  readonly pendingSince: number | undefined
}

/** Reads in a row for a shard to be taken to be read to its end: one may be short, or empty, before there is more. */
const END_READS = 3
const MOST_FAILURES = 20
const LOOK_MS = 5

export async function followChanges(options: ChangeLogOptions): Promise<ChangeLog> {
  const { table, streams, arn, truth, idleMs, clock } = options
  const shards = new Map<string, LogShard>()
  const stop = new AbortController()
  const loops = new Set<Promise<void>>()
  let failure: unknown
  let records = 0

  async function discover(): Promise<void> {
    for (const { shardId, parentShardId } of parentsFirst(await listShards(streams, arn))) {
      if (shards.has(shardId)) continue
      const parent = parentShardId === undefined ? undefined : shards.get(parentShardId)
      // The runner may be in the child already, but nothing of it was counted where the parent's reading began.
      const checkpoint = parent?.wasFinished === false ? NOTHING_COUNTED : await readCheckpoint(table, shardId)
      shards.set(shardId, new LogShard(shardId, parentShardId, checkpoint))
    }
    begin()
  }

  /** A child is read after its parent, so that the changes of an item come in their order. */
  function begin(): void {
    for (const shard of shards.values()) {
      const parent = shard.parentShardId === undefined ? undefined : shards.get(shard.parentShardId)
      if (shard.begun || shard.finished || (parent !== undefined && !parent.ended && !parent.finished)) continue
      shard.begun = true
      const loop = follow(shard)
        .catch((error: unknown) => {
          failure ??= error
        })
        .finally(() => loops.delete(loop))
      loops.add(loop)
    }
  }

  async function follow(shard: LogShard): Promise<void> {
    const reads = followShard({
      ...{ streams, arn, shardId: shard.shardId, after: shard.start, clock, signal: stop.signal },
      endReads: END_READS,
      mostFailures: MOST_FAILURES,
      pauseAfter: ({ cut }) => (cut ? 0 : idleMs),
    })
    let first = true
    for await (const read of reads) {
      if (read.gap && !first) {
        throw new LapidaryError(
          'unavailable',
          `the change stream dropped records of ${shard.shardId} before they were read; run it again, with more capacity`,
        )
      }
      shard.trimmed ||= read.gap
      first = false
      for (const change of read.changes) {
        const step = truth.logged(change)
        if (step !== undefined) shard.steps.push(step)
        shard.readAt = change.at
      }
      records += read.records
      shard.position = read.last ?? shard.position
      shard.caughtUpAt = read.caughtUpAt
      if (!read.end) continue
      shard.ended = true
      await discover()
    }
  }

  async function until(reached: () => boolean): Promise<void> {
    while (!reached()) {
      if (failure !== undefined) throw failure
      await pauseUnless(stop.signal, LOOK_MS)
      if (stop.signal.aborted) throw new LapidaryError('aborted', 'the change stream is not followed any more')
    }
  }

  await discover()
  return {
    open: () => [...shards.values()].filter(({ finished }) => !finished),
    get records() {
      return records
    },
    get pending() {
      return [...shards.values()].reduce((sum, { steps }) => sum + steps.length, 0)
    },
    get pendingSince() {
      const times = [...shards.values()].flatMap(({ steps: [first] }) => (first === undefined ? [] : [first.at]))
      return times.length === 0 ? undefined : Math.min(...times)
    },
    readPast: (at) => until(() => [...shards.values()].every((shard) => shard.isReadPast(at))),
    async takeTo(checkpoints) {
      const isFinished = (shardId: string | undefined): boolean =>
        shardId !== undefined && checkpoints.get(shardId)?.finished === true
      const parents = new Set([...shards.values()].map(({ parentShardId }) => parentShardId))
      if ([...checkpoints.keys()].some((shardId) => isFinished(shardId) && !parents.has(shardId))) await discover()
      for (const { shardId, parentShardId, finished } of shards.values()) {
        if (isFinished(parentShardId) && !finished && !checkpoints.has(shardId)) return false
      }
      await until(() =>
        [...checkpoints].every(([shardId, checkpoint]) => shards.get(shardId)?.hasRead(checkpoint) ?? true),
      )
      for (const [shardId, checkpoint] of checkpoints) {
        const shard = shards.get(shardId)
        if (shard === undefined) continue
        const passed = checkpoint.finished ? shard.steps.length : countTo(shard, checkpoint.sequenceNumber)
        for (const step of shard.steps.splice(0, passed)) truth.take(step)
        shard.finished = checkpoint.finished
      }
      begin()
      return true
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await Promise.all(loops)
    },
  }
}

const NOTHING_COUNTED = checkpointOf(undefined)

/** Streams list shards in no particular order. */
function parentsFirst(shards: readonly Shard[]): readonly Shard[] {
  const byId = new Map(shards.map((shard) => [shard.shardId, shard]))
  const generation = ({ parentShardId }: Shard): number => {
    const parent = parentShardId === undefined ? undefined : byId.get(parentShardId)
    return parent === undefined ? 0 : 1 + generation(parent)
  }
  return shards.toSorted((a, b) => generation(a) - generation(b))
}

function countTo({ steps }: LogShard, sequenceNumber: string | undefined): number {
  if (sequenceNumber === undefined) return 0
  const beyond = steps.findIndex((step) => compareSequenceNumbers(step.sequenceNumber, sequenceNumber) > 0)
  return beyond === -1 ? steps.length : beyond
}
