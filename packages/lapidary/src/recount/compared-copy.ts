import { type Change, isBeyond } from '../derived/change.ts'
import type { Comparing, CopyInspection, CopySuspect, NotVerified } from '../derived/copy-inspection.ts'
import { type CopyProjection, type CopyState, isBuilt } from '../derived/copy-projection.ts'
import type { TargetKey } from '../derived/target-key.ts'
import type { Entry } from '../model/entry.ts'
import { LapidaryError } from '../model/errors.ts'
import { type Checkpoint, type FollowedTable, readCheckpoint } from '../stream/checkpoint.ts'
import { createShardReader, type ShardSource } from '../stream/shard-reader.ts'
import { listShards, streamArn } from '../stream/shards.ts'
import type { StreamsClient } from '../stream/streams-client.ts'
import { inLanes } from '../table/in-lanes.ts'
import type { TableClient } from '../table/table-client.ts'
import { LastChanges } from './last-changes.ts'

/** How often it is looked again at what changes meanwhile, or is not taken in yet. */
const MOST_LOOKS = 5
const PAUSE_MS = 500
const SETTLED_AT_ONCE = 8
/** Between reads that give nothing though there is more, and how many of them in a row are no hope. */
const EMPTY_MS = 50
const MOST_EMPTY = 600

/** An inspection of what one look at an entry of the table tells. */
export function seeing(see: CopyInspection['see']): CopyInspection {
  return { see, suspects: async () => [], look: async () => [], settle: async () => 0 }
}

const NO_INSPECTION: CopyInspection = { ...seeing(() => {}), begin: async () => ({ reason: 'no_inspect' }) }

/** Where copies are compared. */
interface ComparedTable {
  readonly table: TableClient
  readonly streams: StreamsClient
  /** Whether a copy holds every item; one that does not is not compared. Undefined to compare it whatever it holds, as it is made. */
  readonly stateOf?: (copy: CopyProjection) => Promise<CopyState>
}

/** Begins to compare copies with the items, as far as they can be. */
export async function compareCopies(
  projections: readonly CopyProjection[],
  where: ComparedTable,
): Promise<readonly ComparedCopy[]> {
  const begun = projections.map(async (projection) => {
    const inspection = projection.inspect === undefined ? NO_INSPECTION : await projection.inspect()
    return inspection === undefined ? [] : [new ComparedCopy(projection, inspection, where)]
  })
  return (await Promise.all(begun)).flat()
}

/** A copy that is compared with the items, beside an inspection of the table that reads these anyway. */
export class ComparedCopy {
  readonly projection: CopyProjection
  readonly #inspection: CopyInspection
  readonly #followed: FollowedTable
  readonly #streams: StreamsClient
  readonly #stateOf: ComparedTable['stateOf']
  /** The last change of an item since the copy was seen to have all: it may not have that one yet. */
  readonly #changes = new LastChanges()
  #leftOut: NotVerified['reason'] | undefined

  constructor(projection: CopyProjection, inspection: CopyInspection, { table, streams, stateOf }: ComparedTable) {
    this.projection = projection
    this.#inspection = inspection
    this.#followed = { ...table, follower: projection.apart }
    this.#streams = streams
    this.#stateOf = stateOf
  }

  /** Why it, or a part of it, was not compared; none where all of it was. */
  get notVerified(): readonly NotVerified[] {
    const why = this.#leftOut === undefined ? this.#inspection.notVerified : { reason: this.#leftOut }
    return why === undefined ? [] : [this.notVerifiedFor(why)]
  }

  notVerifiedFor(why: Pick<NotVerified, 'reason' | 'message'>): NotVerified {
    const { name, collection } = this.projection
    return { projection: name, collection, ...this.#inspection.named, ...why }
  }

  /** To be called once the change stream is followed: what comes before is counted by then. */
  async begin(): Promise<void> {
    const state = (await this.#stateOf?.(this.projection)) ?? 'ready'
    this.#leftOut = isBuilt(state) ? (await this.#inspection.begin?.())?.reason : state
    if (this.#leftOut === undefined && this.projection.apart !== undefined) await this.#readBehind()
  }

  see(entry: Entry, report: Comparing['report']): void {
    this.#inspection.see(entry, report)
  }

  logged(change: Change, shardId: string): void {
    // What the writes of the items keep is as they are.
    if (this.projection.apply === undefined || !this.projection.isItem(change.key)) return
    this.#changes.note(change, shardId)
    this.#inspection.logged?.(change)
  }

  /** Whether some items alone can be looked at. */
  get looksAtSome(): boolean {
    return this.#inspection.suspect !== undefined
  }

  suspect(key: TargetKey): void {
    this.#inspection.suspect?.(key)
  }

  /** Reports what differs, and mends it if told to. Returns how many pieces were mended. */
  async compare(inspection: Comparing, { mends }: { readonly mends: boolean }): Promise<number> {
    if (this.#leftOut !== undefined) return 0
    let suspects = await inspection.guarded(this.#inspection.suspects(inspection))
    /** By suspect how many pieces were mended first: the item may change between a look and the mending. */
    const told = new Map<string, number>()
    for (let look = 1; suspects.length > 0 && look <= MOST_LOOKS; look++) {
      if (look > 1) await inspection.guarded(inspection.table.sleep(PAUSE_MS))
      suspects = await this.#lookAgain(inspection, suspects, told, mends)
    }
    if (told.size > 0 && mends) await this.#inspection.settled?.(inspection)
    return [...told.values()].reduce((sum, mended) => sum + mended, 0)
  }

  /**
   * What differs for sure: an item that did not change since the last change which the copy has, and of which it holds something else. First the
   * checkpoint is read, then the copy, then the item, then the stream past all of that; so whatever changed the item is known.
   *
   * @returns What has to be looked at once more.
   */
  async #lookAgain(
    inspection: Comparing,
    suspects: readonly CopySuspect[],
    told: Map<string, number>,
    mends: boolean,
  ): Promise<readonly CopySuspect[]> {
    const isStreamed = this.projection.apply !== undefined
    const isTakenIn = isStreamed ? await inspection.guarded(this.#changes.takenIn(this.#followed)) : () => true
    const found = await this.#inspection.look(suspects, inspection)
    if (isStreamed && found.length > 0) await inspection.readLog()
    const left: CopySuspect[] = []
    for (const each of found) {
      const { suspect, differences, isUnsure = false } = each
      const isSure = !isUnsure && isTakenIn(suspect.item.PK)
      if (isSure && !told.has(suspect.id)) {
        inspection.report(differences)
        told.set(suspect.id, 0)
      }
      if (isSure && mends) {
        const mended = await inspection.guarded(this.#inspection.settle(each, inspection))
        told.set(suspect.id, told.get(suspect.id) || mended)
      }
      if (!isSure || mends) left.push(suspect)
    }
    return left
  }

  /** Mends all that did not look right, whether the runner would come to it or not. Returns how many pieces were mended. */
  async mendAll(inspection: Comparing): Promise<number> {
    const { name, collection } = this.projection
    if (this.#leftOut !== undefined) {
      const message = `${name} of ${collection} can't be looked into (${this.#leftOut}), so it can't be made by what an inspection finds`
      throw new LapidaryError('unavailable', message)
    }
    let mended = 0
    const suspects = await this.#inspection.suspects(inspection)
    // It tells the items of entries that the copy had of changes since the scan.
    await inspection.readLog()
    await inLanes(suspects, SETTLED_AT_ONCE, async (suspect) => {
      inspection.signal.throwIfAborted()
      for (const found of await inspection.guarded(this.#inspection.look([suspect], inspection))) {
        const pieces = await inspection.guarded(this.#inspection.settle(found, inspection))
        mended += pieces
      }
    })
    return mended
  }

  /** What is counted, and a store apart has not taken in yet, comes before what is read of the stream. */
  async #readBehind(): Promise<void> {
    const table = { ...this.#followed, follower: undefined }
    const arn = await streamArn(table)
    for (const shard of await listShards(this.#streams, arn)) {
      const taken = await readCheckpoint(this.#followed, shard.shardId)
      if (!taken.finished) await this.#readTo(await readCheckpoint(table, shard.shardId), taken, { arn, shard })
    }
  }

  /** Reads a shard to where it is counted, however many reads give nothing before. */
  async #readTo(
    { finished, sequenceNumber: to }: Checkpoint,
    { sequenceNumber }: Checkpoint,
    source: Pick<ShardSource, 'arn' | 'shard'>,
  ): Promise<void> {
    const reader = createShardReader({ streams: this.#streams, ...source }, sequenceNumber)
    for (let empty = 0, last = sequenceNumber; finished || (to !== undefined && isBeyond(to, last)); ) {
      const read = await reader.next()
      for (const change of read.changes) this.logged(change, source.shard.shardId)
      // Of what is gone from the stream no read tells.
      if (read.end || (read.gap && read.last === undefined)) return
      last = read.last ?? last
      empty = read.last === undefined ? empty + 1 : 0
      if (empty === 0) continue
      if (empty > MOST_EMPTY) {
        const message = `the change stream tells nothing of ${source.shard.shardId}, of which more is counted; run it again`
        throw new LapidaryError('unavailable', message)
      }
      await this.#followed.sleep(EMPTY_MS)
    }
  }
}
