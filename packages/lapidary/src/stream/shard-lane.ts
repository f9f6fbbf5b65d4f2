import { isBeyond } from '../derived/change.ts'
import { LapidaryError } from '../model/errors.ts'
import { jitteredDelay } from '../table/retrying.ts'
import type { Batch, Lane } from './batch.ts'
import { endShard, noteGap } from './checkpoint.ts'
import type { Counted } from './counting.ts'
import type { Lease } from './lease.ts'
import type { Runner } from './runner.ts'
import { createShardReader, type ShardRead, type ShardReader, type ShardSource } from './shard-reader.ts'

export interface ShardLaneOptions {
  readonly source: ShardSource
  readonly runner: Runner
  readonly lease: Lease
  readonly idleMs: number
  readonly quietMs: number
  readonly clock: () => number
  /** Whether the shard was counted to its end, though its checkpoint does not say so. */
  readonly isPassed: () => Promise<boolean>
  /** Whether others follow the shard, so that it is closed. */
  readonly isFollowed: () => boolean
}

/** How often a checkpoint moves over records that change nothing; the stream keeps them for 24 hours. */
const ADVANCE_MS = 15 * 60_000
/** Records that change nothing, as a rebuild writes by the thousand, over which a checkpoint moves at once: each report would read them again. */
const ADVANCE_RECORDS = 1_000

/** How much longer each read without a change to count makes the pause before the next: a lull of some seconds slows nothing down. */
const SLOWER = 1.1

/** What one process does with one shard while it has the lease. */
export class ShardLane implements Lane {
  readonly shardId: string
  readonly owner: string
  sequenceNumber: string | undefined
  register: number | undefined
  /** What was read, as far as it is not counted yet; it is read again once all of it is and the round is ended. */
  batch: Batch | undefined
  /** When it is to be read next. */
  dueAt = 0
  /** Failures in a row. */
  failures = 0
  isReading = false
  /** When the last read began that left nothing waiting; the stream itself may be late. */
  caughtUpAt: number | undefined
  /** When the last record that was read was written. */
  lastRecordAt: number | undefined
  readonly #options: ShardLaneOptions
  #reader: ShardReader | undefined
  #read: ShardRead | undefined
  /** When the read began, and where the checkpoint was then. */
  #began: { readonly at: number; readonly from: string | undefined } = { at: 0, from: undefined }
  #last: string | undefined
  #movedAt: number
  /** Records that were read since the checkpoint moved. */
  #passed = 0
  #idle: number

  constructor(options: ShardLaneOptions) {
    this.shardId = options.source.shard.shardId
    this.owner = options.lease.owner
    this.#options = options
    this.#movedAt = options.clock()
    this.#idle = options.idleMs
  }

  /** The stream that it reads. */
  get arn(): string {
    return this.#options.source.arn
  }

  get lease(): Lease {
    return this.#options.lease
  }

  /** Much is waiting, or something is left of what was read. */
  get isBusy(): boolean {
    return this.batch !== undefined || this.#read?.full === true
  }

  /** Reads once. Whether more is waiting for sure, or there is an end to come to. */
  async read(): Promise<boolean> {
    this.isReading = true
    try {
      const { full, records } = await this.#readNext()
      return full || (records > 0 && this.#options.isFollowed())
    } finally {
      this.isReading = false
    }
  }

  async #readNext(): Promise<ShardRead> {
    const { runner, clock, isPassed } = this.#options
    const at = clock()
    this.#reader ??= await this.#open()
    const read = await this.#reader.next()
    if (read.gap && !(await isPassed())) {
      // It begins again, and finds the gap again, if the lease is won back.
      if (!(await noteGap(runner.table, this.shardId, this.owner)))
        throw new LapidaryError('unavailable', `the lease of ${this.shardId} was lost before its gap was noted`)
    }
    this.#began = { at, from: this.sequenceNumber }
    this.#read = read
    this.#last = read.last ?? this.#last
    this.batch = runner.batchOf(this, read.changes)
    return read
  }

  /** Takes in how far its batch was counted. */
  takeIn({ sequenceNumber, left, failure }: Counted): void {
    this.sequenceNumber = sequenceNumber
    this.batch = { lane: this, changes: left }
    if (failure !== undefined) throw failure
  }

  /**
   * To be done once all of what was read is counted.
   *
   * @param nextAt When it is read again if there was something to count.
   */
  async endRound(nextAt: number): Promise<'open' | 'finished' | 'lost'> {
    const { runner, idleMs, quietMs, clock, isFollowed } = this.#options
    const read = this.#read as ShardRead
    const { at, from } = this.#began
    const isMoved = this.sequenceNumber !== from
    // What was noted as lost is not to be noted again by the next process.
    this.#passed += read.records
    const mayMove = read.gap || at - this.#movedAt > ADVANCE_MS || this.#passed >= ADVANCE_RECORDS
    const last = this.#last
    if (!isMoved && mayMove && last !== undefined && isBeyond(last, from)) {
      this.sequenceNumber = await runner.advance(this, last)
    }
    if (this.sequenceNumber !== from) {
      this.#movedAt = at
      this.#passed = 0
    }
    if (!read.full) this.caughtUpAt = at
    // Records that change nothing, such as those of derived data, do not say that counts are behind.
    else if (isMoved) this.lastRecordAt = read.changes.at(-1)?.at ?? this.lastRecordAt
    this.batch = undefined
    this.failures = 0
    if (read.end) {
      const isEnded = await endShard(runner.table, this.shardId, clock(), {
        owner: this.owner,
        register: this.register,
      })
      return isEnded ? 'finished' : 'lost'
    }
    // A batch costs the same for one change as for hundreds of one scope. Records that change nothing are no reason to read
    // sooner: those of leases alone never end.
    this.dueAt = read.full ? 0 : isMoved ? nextAt : clock() + this.#idle
    this.#idle = isMoved || isFollowed() ? idleMs : Math.min(Math.max(idleMs, quietMs), this.#idle * SLOWER)
    return 'open'
  }

  /** Begins again from the checkpoint. */
  beginAgain(): void {
    this.batch = undefined
    this.#read = undefined
    this.#reader = undefined
    this.dueAt = 0
  }

  /** Begins again from the checkpoint, a little later. */
  fail(): void {
    const { runner, clock } = this.#options
    this.failures += 1
    this.beginAgain()
    this.dueAt = clock() + 50 + jitteredDelay(this.failures, runner.table.random)
  }

  async #open(): Promise<ShardReader> {
    const { source, runner } = this.#options
    ;({ sequenceNumber: this.sequenceNumber, register: this.register } = await runner.takeUp(this))
    // What was read beyond it, and not counted, is read again.
    this.#last = undefined
    return createShardReader(source, this.sequenceNumber)
  }
}
