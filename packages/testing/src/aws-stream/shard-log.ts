import type { _Record } from '@aws-sdk/client-dynamodb-streams'
import type { AwsBehaviour, AwsOccurrence } from './aws-behaviour.ts'

/** The state that the parts of a stream share. */
export interface StreamWorld {
  readonly behaviour: AwsBehaviour
  readonly random: () => number
  /** AWS's seconds since the stream began. */
  readonly seconds: () => number
  readonly note: (occurrence: AwsOccurrence, times?: number) => void
}

/** A record in its shard. */
export interface PlacedRecord {
  readonly record: _Record
  readonly number: bigint
  readonly placedAt: number
  /** The time from which a read may return it. */
  readonly visibleAt: number
}

export interface StreamShard {
  readonly shardId: string
  readonly parent: StreamShard | undefined
  /** The lower end of the hashes, 0 to 1, of the partition keys that are its. */
  readonly from: number
  readonly to: number
  readonly openedAt: number
  readonly listedAt: number
  /** StartingSequenceNumber: that of its first record, or below it. */
  readonly start: bigint
  /** The records that are not trimmed. */
  readonly records: PlacedRecord[]
  /** The number of records that it has taken in all. */
  taken: number
  trimmedTo: bigint | undefined
  closed: ShardEnd | undefined
}

interface ShardEnd {
  readonly at: number
  /** EndingSequenceNumber: that of its last record, or above it. */
  readonly number: bigint
  /** The time from which DescribeStream shows it. */
  readonly listedAt: number
  /** The time from which a read shows it. */
  readonly visibleAt: number
}

/** The shards of one stream, as they come and go. */
export interface ShardLog {
  /** All shards that are not forgotten, in the order of their ids. */
  readonly shards: readonly StreamShard[]
  place(record: _Record): void
  /** Closes and trims shards and records whose time has come. */
  pass(): void
  /** Closes every open shard; their children go on. */
  rollOver(): void
  /** Closes every open shard for good. */
  close(): void
}

/** The narrowest range of keys that is split; no part is narrower than half of it. */
const NARROWEST = 1 / 8
/** A sequence number as long as AWS's. */
const FIRST_NUMBER = 20_500_000_000_000_000_000_000n

export function createShardLog(world: StreamWorld): ShardLog {
  const { random, seconds, note } = world
  const began = Date.now()
  let shards: StreamShard[] = []
  let made = 0
  let last = FIRST_NUMBER
  const nextNumber = (): bigint => {
    last += 1n + BigInt(Math.floor(random() * 1_000))
    return last
  }

  function open(from: number, to: number, parent: StreamShard | undefined): void {
    const at = parent?.closed?.at ?? seconds()
    const { listedSeconds } = world.behaviour
    // A child is listed after its parent: AWS has been seen to list closed shards without children, and never children without parents.
    const listedAt = Math.max(parent?.listedAt ?? 0, parent === undefined ? 0 : at + random() ** 2 * listedSeconds)
    // The id has the time when the shard was opened and eight digits (amazon-kinesis-client, issue 164; Flink's ShardUtils reads the time).
    const digits = (made++ * 0x10001).toString(16).padStart(8, '0')
    const shardId = `shardId-${String(began + Math.floor(at * 1_000)).padStart(20, '0')}-${digits}`
    shards.push({
      ...{ shardId, parent, from, to, openedAt: at, listedAt, start: nextNumber(), records: [] },
      ...{ taken: 0, trimmedTo: undefined, closed: undefined },
    })
  }
  for (let i = 0, roots = world.behaviour.shards; i < roots; i++) open(i / roots, (i + 1) / roots, undefined)

  function end(shard: StreamShard, at: number): void {
    const newest = shard.records.at(-1)
    const number = random() < 0.5 ? (newest?.number ?? shard.start) : nextNumber()
    shard.closed = {
      ...{ at, number, listedAt: at + random() ** 2 * world.behaviour.listedSeconds },
      visibleAt: Math.max(newest?.visibleAt ?? 0, at + random() ** 2 * world.behaviour.lateSeconds),
    }
  }

  function goOn(shard: StreamShard, at: number): void {
    end(shard, at)
    const { from, to } = shard
    const isSplit = to - from > NARROWEST && random() < world.behaviour.splits
    const place = random() < 0.5 ? 0.5 : random()
    const border = from + NARROWEST / 2 + place * (to - from - NARROWEST)
    open(from, isSplit ? border : to, shard)
    if (isSplit) open(border, to, shard)
    note(isSplit ? 'split' : 'rolledOver')
  }

  return {
    get shards() {
      return shards
    },
    place(record) {
      const hash = keyHash(record)
      const shard = shards.filter(isOpen).find(({ from, to }) => from <= hash && hash < to)
      // A stream that is switched off has no open shard.
      if (shard === undefined) return note('unheard')
      const number = shard.taken === 0 && random() < 0.5 ? shard.start : nextNumber()
      const placedAt = seconds()
      shard.records.push({
        ...{ number, placedAt },
        record: { ...record, dynamodb: { ...record.dynamodb, SequenceNumber: String(number) } },
        visibleAt: Math.max(
          shard.records.at(-1)?.visibleAt ?? 0,
          placedAt + random() ** 2 * world.behaviour.lateSeconds,
        ),
      })
      shard.taken += 1
      if (shard.taken >= world.behaviour.shardRecords) goOn(shard, placedAt)
    },
    pass() {
      const { shardSeconds, retentionSeconds } = world.behaviour
      const now = seconds()
      // The loop also meets the children that it opens, since they may be due as well.
      for (const shard of shards) {
        if (isOpen(shard) && shard.openedAt + shardSeconds <= now) {
          goOn(shard, Math.max(shard.openedAt + shardSeconds, shard.records.at(-1)?.placedAt ?? 0))
        }
      }
      for (const shard of shards) {
        const kept = shard.records.findIndex(({ placedAt }) => placedAt + retentionSeconds > now)
        const gone = shard.records.splice(0, kept === -1 ? shard.records.length : kept)
        shard.trimmedTo = gone.at(-1)?.number ?? shard.trimmedTo
      }
      shards = shards.filter(({ closed }) => closed === undefined || closed.at + retentionSeconds > now)
    },
    rollOver() {
      const now = seconds()
      for (const shard of shards.filter(isOpen)) goOn(shard, now)
    },
    close() {
      for (const shard of shards.filter(isOpen)) end(shard, seconds())
    },
  }
}

function isOpen({ closed }: StreamShard): boolean {
  return closed === undefined
}

/** Hashes the partition key to 0 to 1 by FNV-1a: a shard has the records of a partition of the table. */
function keyHash({ dynamodb }: _Record): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(JSON.stringify(dynamodb?.Keys?.PK ?? null))) {
    hash = Math.imul(hash ^ byte, 0x01000193)
  }
  return (hash >>> 0) / 2 ** 32
}
