import type { Change } from '../derived/change.ts'
import { LapidaryError } from '../model/errors.ts'
import { answering } from '../stream/answering.ts'
import { type Checkpoint, checkpointOf, readCheckpoint } from '../stream/checkpoint.ts'
import { pauseUnless } from '../stream/pause-unless.ts'
import { createShardReader, type ShardRead } from '../stream/shard-reader.ts'
import { beganAt, listShards, openedAt, type Shard } from '../stream/shards.ts'
import type { StreamsClient } from '../stream/streams-client.ts'
import { waitUntil } from '../stream/wait-until.ts'
import type { TableClient } from '../table/table-client.ts'
import { LogShard } from './log-shard.ts'
import type { Probes } from './probes.ts'
import type { Truth } from './truth.ts'

export interface ChangeLogOptions {
  readonly table: TableClient
  readonly streams: StreamsClient
  readonly arn: string
  readonly truth: Truth
  readonly probes: Probes
  /** Told of every change that is read. */
  readonly logged?: ((change: Change, shardId: string) => void) | undefined
  /** Milliseconds between reads of a shard that has nothing new. */
  readonly idleMs: number
  readonly clock: () => number
  /** Milliseconds on a monotonic clock, for what is waited for. */
  readonly now: () => number
  /** Milliseconds by which a shard may be listed later than the other half of the one before it. */
  readonly listedMs: number
  /** Ends it. */
  readonly signal?: AbortSignal
}

/**
 * The change stream from where the runner's checkpoints stand, followed in the background. Changes are kept as steps and
 * taken into the truth up to the checkpoints of a snapshot, never beyond.
 */
export interface ChangeLog extends AsyncDisposable {
  /** Shards of which the runner may have something left to count, whose checkpoints belong into a snapshot. */
  open(): readonly LogShard[]
  /** Whether a shard is of this stream, and is listed: once everything is read, all are that have been counted from. */
  knows(shardId: string): boolean
  /** Closed shards that are read to their end, and of which nothing is left to count, wherever their checkpoints are. */
  over(): readonly LogShard[]
  /**
   * Waits until shards are listed of which a checkpoint tells, where they were opened a moment ago, since this stream began.
   *
   * @throws {LapidaryError} `unavailable` when one is not listed for a minute.
   */
  untilListed(shardIds: readonly string[]): Promise<void>
  /** Shards of which it is not known what follows them, or whether they are closed. */
  unproven(): readonly LogShard[]
  /**
   * Reads everything that was written by now. The stream may tell of a write late, and give nothing before there is more, so this
   * is proven: probes are written, and seen in every shard, or in what follows it. What else is written to a shard later says as much.
   *
   * @returns Tells of a shard whether it was still open when this began.
   * @throws {LapidaryError} `unavailable` when the stream tells nothing of them for a minute.
   */
  readAll(): Promise<(shard: LogShard) => boolean>
  /**
   * Takes every step up to the checkpoints, exactly.
   *
   * @returns false when what follows a shard that is counted was not known: its checkpoint belongs into the snapshot too.
   */
  takeTo(checkpoints: ReadonlyMap<string, Checkpoint>): Promise<boolean>
  /** Records read so far, of whatever was written. */
  readonly records: number
  /** Steps that the runner has not counted yet. */
  readonly pending: number
  /** When the first of them was made, in milliseconds since 1970. */
  readonly pendingSince: number | undefined
}

const MOST_FAILURES = 50
const MOST_FAILING_MS = 60_000
const RETRY_MS = 200
const LOOK_MS = 5
/** How many probes a look begins with, for each shard. */
const PROBES_A_SHARD = 16
/** How many are seen in each shard: that none is in as large a shard beside it that is not listed has a chance of one in 256 then. */
const LEAST_SEEN = 8
/** Shards that are small parts of the table may need more; each time they are doubled. */
const MOST_PROBES = 16_384
const MORE_PROBES_MS = 2_000
/** DynamoDB rounds the times of records down to seconds; one that is so much later was made later. */
const SURELY_LATER_MS = 5_000
/** A shard that was opened longer ago and is not listed is forgotten, or of another table that this one was copied from. */
const LISTED_WITHIN_MS = 10 * 60_000
/** Between looks for shards that were not listed yet. */
const FIND_MS = 500

export async function followChanges(options: ChangeLogOptions): Promise<ChangeLog> {
  const { table, arn, truth, probes, logged, idleMs, clock, now, listedMs, signal } = options
  const shards = new Map<string, LogShard>()
  const stop = new AbortController()
  const end = (): void => stop.abort(signal?.reason)
  signal?.addEventListener('abort', end)
  if (signal?.aborted === true) end()
  const streams = answering(options.streams, { signal: stop.signal })
  const forgotten = new Set<string>()
  const loops = new Set<Promise<void>>()
  let failure: unknown
  let records = 0
  /** Changes that were read, of those from before the last look, by whichever clock is ahead. */
  let backlog = 0
  let looks = 0
  let lookedAt = 0
  /** By DynamoDB's clock: when the last change that was read was made, and the first probe of the last look. */
  let [latestAt, probedAt] = [0, Number.POSITIVE_INFINITY]
  let isBegun = false
  const all = (): readonly LogShard[] => [...shards.values()]

  /** Asks the stream again where it fails, as long as that is a matter of seconds. */
  async function answerOf<T>(ask: () => Promise<T>): Promise<T> {
    const began = now()
    for (let failures = 1; ; failures++) {
      try {
        return await ask()
      } catch (error) {
        if (failures > MOST_FAILURES || now() - began > MOST_FAILING_MS || stop.signal.aborted) throw error
        await pauseUnless(stop.signal, RETRY_MS)
      }
    }
  }

  async function discover(): Promise<void> {
    const listed = await answerOf(() => listShards(streams, arn, forgotten))
    for (const shard of parentsFirst(listed)) {
      if (shards.has(shard.shardId)) continue
      const parent = named(shard.parentShardId)
      // What is listed later may be counted already, beyond what the scan has seen. And a child whose parent was not finished when
      // it was looked at may be counted by now: of an item that changed in both, the child's log would tell only the end.
      const fromStart = isBegun || parent?.finished === false
      const checkpoint = fromStart ? NOTHING_COUNTED : await readCheckpoint(table, shard.shardId)
      const found = new LogShard(shard, { late: isBegun, at: now() }, checkpoint)
      if (parent !== undefined) adopt(parent, found)
      for (const each of all()) if (each.shard.parentShardId === shard.shardId) adopt(found, each)
      shards.set(shard.shardId, found)
    }
    begin()
  }

  /** A child is read after its parent, so that the changes of an item come in their order. */
  function begin(): void {
    for (const shard of shards.values()) {
      if (shard.begun || shard.finished || shard.parent?.isClosed === false) continue
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
    const reader = createShardReader({ streams, arn, shard: shard.shard }, shard.from)
    while (!stop.signal.aborted && !shard.ended) {
      const read = await answerOf(() => reader.next())
      take(shard, read)
      if (!shard.ended) await pauseUnless(stop.signal, read.full ? 0 : idleMs)
    }
    if (shard.ended) await discover()
  }

  function take(shard: LogShard, { changes, records: read, last, end, gap }: ShardRead): void {
    // Of what comes late the log has to have all.
    if (gap && (shard.isRead || shard.found.late)) {
      throw new LapidaryError(
        'unavailable',
        `the change stream dropped records of ${shard.shardId} before they were read; run it again, with more capacity`,
      )
    }
    shard.trimmed ||= gap
    shard.isRead = true
    for (const change of changes) {
      logged?.(change, shard.shardId)
      const step = truth.logged(change)
      if (step !== undefined) shard.steps.push(step)
      const look = probes.seen(change)
      shard.met(look)
      if (look === looks) probedAt = Math.min(probedAt, change.at)
      if (change.at < lookedAt) backlog += 1
      latestAt = Math.max(latestAt, change.at)
      shard.lastAt = change.at
    }
    records += read
    shard.position = last ?? shard.position
    shard.ended = end
  }

  function named(shardId: string | undefined): LogShard | undefined {
    return shardId === undefined ? undefined : shards.get(shardId)
  }

  /** Shards that follow no known one. */
  function roots(): readonly LogShard[] {
    return all().filter(({ parent }) => parent === undefined)
  }

  /** Waits, and looks for shards that were not listed yet; gives up when there is no sign of what is waited for for long. */
  function until(
    left: () => string | undefined,
    waiting: () => Promise<void> = async () => {},
    gaveUp = `the change stream ${arn} tells nothing of what was written a minute ago; is it enabled? Run it again`,
  ): Promise<void> {
    let foundAt = now()
    return waitUntil({
      left() {
        if (failure !== undefined) throw failure
        if (stop.signal.aborted) throw new LapidaryError('aborted', 'the change stream is not followed any more')
        return left()
      },
      async pause() {
        await pauseUnless(stop.signal, LOOK_MS)
        await waiting()
        if (now() - foundAt < FIND_MS) return
        foundAt = now()
        await discover()
      },
      now,
      gaveUp: () => gaveUp,
    })
  }

  /** Whether a shard is listed for so short a time that another one beside it may not be listed yet. */
  function isYoung({ shardId, found }: LogShard): boolean {
    return now() - found.at < listedMs && latestAt - openedAt(shardId) < listedMs
  }

  /**
   * A shard that holds a probe is read past all that was written before, and what follows it was written later. Of a shard that closed
   * before, what follows it holds the probes. One half may not be listed yet, and have none of them, where it is small: that is waited
   * for where only the other is listed, and has just been.
   */
  async function readAll(): Promise<(shard: LogShard) => boolean> {
    const look = ++looks
    lookedAt = Math.max(clock(), latestAt)
    probedAt = Number.POSITIVE_INFINITY
    const metIn = (shard: LogShard): number =>
      shard.children.reduce((sum, child) => sum + metIn(child), shard.seenOf(look))
    // No probe may come into a shard that few keys are in, as it is where one is written to very often: what is written there says as much.
    const isLater = ({ lastAt }: LogShard): boolean => lastAt > probedAt + SURELY_LATER_MS
    const isClosedBefore = (shard: LogShard): boolean => shard.seenOf(look) === 0 && shard.children.length > 0
    const lacking = (shard: LogShard): readonly LogShard[] => {
      if (!isClosedBefore(shard)) return metIn(shard) >= LEAST_SEEN || isLater(shard) ? [] : [shard]
      const isHalved = shard.children.length === 1 && shard.children.every(isYoung)
      return [...(isHalved ? [shard] : []), ...shard.children.flatMap(lacking)]
    }
    let written = 0
    async function write(): Promise<void> {
      const more = written || Math.max(1, all().filter(({ children }) => children.length === 0).length) * PROBES_A_SHARD
      await probes.write(look, more)
      written += more
    }
    await write()
    const left = (): readonly LogShard[] => roots().flatMap(lacking)
    /** What more probes may come into, or into what follows it. */
    const small = (): readonly LogShard[] =>
      probes.unseen(look) > 0
        ? []
        : left().filter((shard) => shard.seenOf(look) > 0 || (!shard.isClosed && shard.children.length === 0))
    const unproven = (): string | undefined => {
      if (probes.unseen(look) === 0 && left().length === 0) return undefined
      // Leases are renewed for ever, and are no sign.
      return [backlog, shards.size, written, probes.unseen(look)].join()
    }
    await until(unproven, async () => {
      if (small().length === 0) return
      await table.sleep(MORE_PROBES_MS)
      if (small().length === 0) return
      if (written >= MOST_PROBES) throw tooSmall(small())
      await write()
    })
    const prove = (shard: LogShard): void => {
      if (!isClosedBefore(shard)) return
      shard.followed = true
      shard.children.forEach(prove)
    }
    roots().forEach(prove)
    return (shard) => shard.seenOf(look) > 0 || isLater(shard)
  }

  await discover()
  isBegun = true
  return {
    open: () => all().filter(({ finished, isOver }) => !finished && !isOver),
    knows: (shardId) => shards.has(shardId),
    over: () => all().filter(({ finished, isOver }) => !finished && isOver),
    unproven: () => all().filter(({ finished, ended, followed }) => !finished && !(ended && followed)),
    get records() {
      return records
    },
    get pending() {
      return all().reduce((sum, { steps }) => sum + steps.length, 0)
    },
    get pendingSince() {
      const times = all().flatMap(({ steps: [first] }) => (first === undefined ? [] : [first.at]))
      return times.length === 0 ? undefined : Math.min(...times)
    },
    readAll,
    async untilListed(shardIds) {
      const oldest = Math.max(beganAt(arn), Math.max(clock(), latestAt) - LISTED_WITHIN_MS)
      const awaited = shardIds.filter((shardId) => openedAt(shardId) > oldest)
      const missing = (): readonly string[] => awaited.filter((shardId) => !shards.has(shardId))
      const gaveUp = `the change stream ${arn} does not list ${missing().join(', ')}, of which something is counted; run it again`
      await until(() => (missing().length === 0 ? undefined : `${shards.size}`), undefined, gaveUp)
    },
    async takeTo(checkpoints) {
      if (all().some(({ isClosed, children }) => isClosed && children.length === 0)) await discover()
      /** Whether the runner may be beyond a shard. */
      const isThrough = (shard: LogShard): boolean => {
        const checkpoint = checkpoints.get(shard.shardId)
        if (checkpoint === undefined) return shard.isOver
        return checkpoint.finished || (shard.ended && shard.countedAt(checkpoint) === shard.steps.length)
      }
      /** Whether the snapshot tells how far the runner is in a shard and in what follows it. */
      const isCut = (shard: LogShard): boolean =>
        shard.finished || checkpoints.has(shard.shardId) || (shard.isOver && shard.children.every(isCut))
      // What follows a shard that is counted may be counted already, and its checkpoint belongs into the snapshot.
      if (all().some((shard) => checkpoints.has(shard.shardId) && isThrough(shard) && !shard.followed)) {
        await discover()
        await readAll()
        return false
      }
      if (all().some((shard) => isThrough(shard) && !shard.children.every(isCut))) return false
      const cut = [...checkpoints].map(([shardId, checkpoint]) => ({ shard: named(shardId) as LogShard, checkpoint }))
      const isRead = (): boolean => cut.every(({ shard, checkpoint }) => shard.hasRead(checkpoint))
      await until(() => (isRead() ? undefined : cut.map(({ shard }) => shard.position).join()))
      for (const { shard, checkpoint } of cut) {
        for (const step of shard.steps.splice(0, shard.countedAt(checkpoint))) truth.take(step)
        shard.finished = checkpoint.finished
      }
      begin()
      return true
    },
    async [Symbol.asyncDispose]() {
      signal?.removeEventListener('abort', end)
      stop.abort()
      await Promise.all(loops)
    },
  }
}

const NOTHING_COUNTED = checkpointOf(undefined)

function tooSmall(shards: readonly LogShard[]): LapidaryError {
  const named = shards.map(({ shardId }) => shardId).join(', ')
  return new LapidaryError(
    'unavailable',
    `${named} can't be proven to be read to its end: of ${MOST_PROBES} test items too few came into it, and nothing else was written there. It holds few partition keys. Try again when it has closed`,
  )
}

function adopt(parent: LogShard, child: LogShard): void {
  child.parent = parent
  parent.children.push(child)
}

/** Streams list shards in no particular order. */
function parentsFirst(shards: readonly Shard[]): readonly Shard[] {
  const byId = new Map(shards.map((shard) => [shard.shardId, shard]))
  const generation = ({ parentShardId }: Shard): number => {
    const parent = parentShardId === undefined ? undefined : byId.get(parentShardId)
    return parent === undefined ? 0 : 1 + generation(parent)
  }
  return shards.toSorted((a, b) => generation(a) - generation(b))
}
