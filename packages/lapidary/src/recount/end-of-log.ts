import type { Change } from '../derived/change.ts'
import { LapidaryError } from '../model/errors.ts'
import type { Lineage } from '../stream/lineage.ts'
import { openedAt } from '../stream/shards.ts'
import type { TableClient } from '../table/table-client.ts'
import type { LogShard } from './log-shard.ts'
import type { Probes } from './probes.ts'

/** A log that is read on meanwhile. */
interface ReadLog {
  readonly lineage: Lineage<LogShard>
  /** When the last change that was read was made, by DynamoDB's clock. */
  readonly latestAt: number
}

/** What a look takes of the options of its log. */
interface EndOfLogOptions {
  readonly table: TableClient
  readonly probes: Probes
  readonly clock: () => number
  readonly now: () => number
  readonly listedMs: number
}

/** How many probes a look begins with, for each shard. */
const PROBES_A_SHARD = 16
/** How many are seen in each shard: that none is in as large a shard beside it that is not listed has a chance of one in 256 then. */
const LEAST_SEEN = 8
/** Shards that are small parts of the table may need more; each time they are doubled. */
const MOST_PROBES = 16_384
const MORE_PROBES_MS = 2_000
/** DynamoDB rounds the times of records down to seconds; one that is so much later was made later. */
const SURELY_LATER_MS = 5_000

/**
 * One look at the end of a log, which proves that everything is read that was written before it. The stream may tell of a write late, and
 * give nothing before there is more; so probes are written, and seen in every shard, or in what follows it. What else is written to a shard
 * later says as much.
 *
 * A shard that holds a probe is read past all that was written before, and what follows it was written later. Of a shard that closed
 * before, what follows it holds the probes. One half may not be listed yet, and have none of them, where it is small: that is waited
 * for where only the other is listed, and has just been.
 */
export class EndOfLog {
  readonly #log: ReadLog
  readonly #options: EndOfLogOptions
  readonly #look: number
  /** By whichever clock is ahead. */
  readonly #beganAt: number
  /** When the first probe of it, or of a later look, was made, by DynamoDB's clock. */
  #probedAt = Number.POSITIVE_INFINITY
  #written = 0
  /** Changes that were read of those from before it. */
  #backlog = 0

  /** @param look Its number; those of one log count up. */
  constructor(log: ReadLog, options: EndOfLogOptions, look: number) {
    this.#log = log
    this.#options = options
    this.#look = look
    this.#beganAt = Math.max(options.clock(), log.latestAt)
  }

  /** Takes in a change that was read, and the look of which it is a probe. */
  see({ at }: Change, look: number | undefined): void {
    if (look !== undefined && look >= this.#look) this.#probedAt = Math.min(this.#probedAt, at)
    if (at < this.#beganAt) this.#backlog += 1
  }

  /** Writes probes; each time as many as there are. */
  async write(): Promise<void> {
    const { lineage } = this.#log
    const last = lineage.shards.filter(({ shardId }) => !lineage.isFollowed(shardId))
    const more = this.#written || Math.max(1, last.length) * PROBES_A_SHARD
    await this.#options.probes.write(this.#look, more)
    this.#written += more
  }

  /** Writes more probes where some shards are too small for those that there are. */
  async writeMore(): Promise<void> {
    if (this.#small().length === 0) return
    await this.#options.table.sleep(MORE_PROBES_MS)
    const small = this.#small()
    if (small.length === 0) return
    if (this.#written >= MOST_PROBES) throw tooSmall(small)
    await this.write()
  }

  /** What is not proven yet, as a text that changes while there is hope. Leases are renewed for ever, and are no sign. */
  left(): string | undefined {
    const unseen = this.#options.probes.unseen(this.#look)
    if (unseen === 0 && this.#lacking().length === 0) return undefined
    return [this.#backlog, this.#log.lineage.shards.length, this.#written, unseen].join()
  }

  /** Notes of shards that closed before that all that follow them are listed. To be called once nothing is left. */
  prove(shards: readonly LogShard[] = this.#log.lineage.roots): void {
    for (const shard of shards.filter((each) => this.#isClosedBefore(each))) {
      shard.followed = true
      this.prove(this.#log.lineage.childrenOf(shard))
    }
  }

  /** Whether a shard was still open when the look began. */
  wasOpen(shard: LogShard): boolean {
    return shard.seenOf(this.#look) > 0 || this.#isLater(shard)
  }

  /** Shards that are not proven to be read to their end, of some and of what follows them. */
  #lacking(shards: readonly LogShard[] = this.#log.lineage.roots): readonly LogShard[] {
    return shards.flatMap((shard) => {
      if (!this.#isClosedBefore(shard)) return this.#metIn(shard) >= LEAST_SEEN || this.#isLater(shard) ? [] : [shard]
      const children = this.#log.lineage.childrenOf(shard)
      const isHalved = children.length === 1 && children.every((child) => this.#isYoung(child))
      return [...(isHalved ? [shard] : []), ...this.#lacking(children)]
    })
  }

  /** Those that more probes may come into, or into what follows them. */
  #small(): readonly LogShard[] {
    if (this.#options.probes.unseen(this.#look) > 0) return []
    const { lineage } = this.#log
    return this.#lacking().filter(
      (shard) => shard.seenOf(this.#look) > 0 || (!shard.isClosed && !lineage.isFollowed(shard.shardId)),
    )
  }

  #isClosedBefore(shard: LogShard): boolean {
    return shard.seenOf(this.#look) === 0 && this.#log.lineage.isFollowed(shard.shardId)
  }

  /** Probes in a shard and in what follows it. */
  #metIn(shard: LogShard): number {
    return [shard, ...this.#log.lineage.after(shard)].reduce((sum, each) => sum + each.seenOf(this.#look), 0)
  }

  /** No probe may come into a shard that few keys are in, as it is where one is written to very often: what is written there says as much. */
  #isLater({ lastAt }: LogShard): boolean {
    return lastAt > this.#probedAt + SURELY_LATER_MS
  }

  /** Whether a shard is listed for so short a time that another one beside it may not be listed yet. */
  #isYoung({ shardId, found }: LogShard): boolean {
    const { now, listedMs } = this.#options
    return now() - found.at < listedMs && this.#log.latestAt - openedAt(shardId) < listedMs
  }
}

function tooSmall(shards: readonly LogShard[]): LapidaryError {
  const named = shards.map(({ shardId }) => shardId).join(', ')
  return new LapidaryError(
    'unavailable',
    `${named} can't be proven to be read to its end: of ${MOST_PROBES} test items too few came into it, and nothing else was written there. It holds few partition keys. Try again when it has closed`,
  )
}
