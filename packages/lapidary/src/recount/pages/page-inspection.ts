import { randomUUID } from 'node:crypto'
import { type Change, isBeyond } from '../../derived/change.ts'
import { keyEntry } from '../../derived/guarded-write.ts'
import type { TargetKey } from '../../derived/projection.ts'
import type { Entry } from '../../model/entry.ts'
import { LapidaryError } from '../../model/errors.ts'
import { isItemKey, PRIMARY_SORT_KEY, plainKeyOf } from '../../model/stored-item.ts'
import type { CollectionContext } from '../../operations/context.ts'
import { isBuilt, PAGES, type PageIndex } from '../../pages/page-index.ts'
import { placeText } from '../../pages/place.ts'
import type { ListEntry, ListsInspection } from '../../pages/sorted-lists.ts'
import { type Checkpoint, type FollowedTable, readCheckpoint } from '../../stream/checkpoint.ts'
import { createShardReader, type ShardSource } from '../../stream/shard-reader.ts'
import { listShards, streamArn } from '../../stream/shards.ts'
import type { StreamsClient } from '../../stream/streams-client.ts'
import { withinBudget } from '../../table/capacity-budget.ts'
import { readEntry } from '../../table/read-entries.ts'
import { scanTable } from '../../table/scan-table.ts'
import { type ComparedPages, type Comparing, type UnverifiedPages, unverified } from '../compared-pages.ts'
import type { Difference } from '../difference.ts'
import { KeyTable } from '../key-table.ts'
import { LastChanges } from '../last-changes.ts'

/** An entry that is not where the item says, or has no item; as far as one look can tell. */
interface Suspect extends Pick<ListEntry, 'group' | 'place'> {
  readonly key: TargetKey
  /** The list in which it was seen; undefined where it was seen in none. */
  readonly cell?: string
}

/** How often it is looked again at what changes meanwhile, or is not taken in yet. */
const MOST_LOOKS = 5
const PAUSE_MS = 500
const READ_UNITS = 1
const SEGMENTS = 2
const TWO_32 = 2 ** 32
/** Between reads that give nothing though there is more, and how many of them in a row are no hope. */
const EMPTY_MS = 50
const MOST_EMPTY = 600

/** One for each page index. */
export function inspectPages(contexts: readonly CollectionContext[], streams: StreamsClient): readonly ComparedPages[] {
  return contexts.flatMap((context) => context.pages.map((index) => new InspectedPages(context, index, streams)))
}

class InspectedPages implements ComparedPages {
  readonly #context: CollectionContext
  readonly #streams: StreamsClient
  readonly #pages: PageIndex
  #lists: ListsInspection | undefined
  /** Why the page index, or a part of it, is not compared with the items; none where all of it is. */
  notVerified: readonly UnverifiedPages[] = []
  readonly #cells: string[] = []
  /** By group and place the number of the list, and 2^32 more once an entry says the same. */
  readonly #expected = new KeyTable()
  /** Entries of a group that items should have. */
  readonly #groups = new Map<string, number>()
  /** The last change of an item since the page index was seen to have all: it may not have that one yet. */
  readonly #changes = new LastChanges()
  /** Keys of items whose ids are too long for a position. */
  readonly #keys = new Map<string, TargetKey>()

  constructor(context: CollectionContext, pages: PageIndex, streams: StreamsClient) {
    this.#context = context
    this.#streams = streams
    this.#pages = pages
  }

  async begin(): Promise<void> {
    const { lists, copy } = this.#pages
    const state = await this.#pages.state()
    const reason = isBuilt(state) ? 'no_inspect' : state
    if (reason === 'no_inspect') this.#lists = await lists.inspect?.()
    if (this.#lists === undefined) {
      this.notVerified = [unverified(this.#context.collection, this.#pages, reason)]
    } else if (copy.apart !== undefined) await this.#readBehind()
  }

  /** What is counted, and a store apart has not taken in yet, comes before what is read of the stream. */
  async #readBehind(): Promise<void> {
    const { table } = this.#context
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
    const { table } = this.#context
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
      await table.sleep(EMPTY_MS)
    }
  }

  see(entry: Entry): void {
    if (this.#lists === undefined) return
    const key = plainKeyOf(entry)
    const group = this.#lists.groupOf(key)
    if (group !== undefined) this.#groups.set(group, this.#groups.get(group) ?? 0)
    for (const listed of this.#entriesOf(entry, key)) {
      this.#noteKey(listed, key)
      const id = idOf(listed)
      if (this.#expected.get(id) === 0) this.#groups.set(listed.group, (this.#groups.get(listed.group) ?? 0) + 1)
      this.#expected.set(id, this.#numberOf(listed.cell) + 1)
    }
  }

  logged(change: Change, shardId: string): void {
    const { key, before, after } = change
    const isLeftOut = this.notVerified.some(({ reason }) => reason !== 'full')
    if (isLeftOut || !isItemKey(this.#context.collection, key)) return
    // What is counted and not taken in yet is read beside what is read on.
    this.#changes.note(change, shardId)
    for (const image of [before, after]) {
      if (image !== undefined) for (const listed of this.#pages.entriesOf(image)) this.#noteKey(listed, key)
    }
  }

  async compare(inspection: Comparing, { mends }: { readonly mends: boolean }): Promise<number> {
    const lists = this.#lists
    if (lists === undefined) return 0
    // A made-up shard, whose mark expires as those of others do.
    const mark = mends ? `repair-${randomUUID()}` : undefined
    let suspects = await inspection.guarded(this.#suspects(inspection, lists))
    let mended = 0
    const told = new Set<string>()
    const groups = new Set<string>()
    for (let look = 1; suspects.length > 0 && look <= MOST_LOOKS; look++) {
      if (look > 1) await inspection.table.sleep(PAUSE_MS)
      const sure = await this.#lookAgain(inspection, lists, suspects)
      const left: Suspect[] = sure.unsure
      for (const { suspect, expected, actual } of sure.different) {
        const id = idOf(suspect)
        if (!told.has(id)) inspection.report([this.#difference(suspect, expected, actual)])
        told.add(id)
        if (mark === undefined) continue
        await inspection.guarded(this.#mend(mark, mended, suspect, expected, actual))
        mended += 1
        groups.add(suspect.group)
        // The item may have changed between the look and the mending.
        left.push(suspect)
      }
      suspects = left
    }
    for (const group of groups) await inspection.guarded(this.#requireSound(group))
    return told.size === 0 ? 0 : Math.min(mended, told.size)
  }

  /** Everything in which one look at the lists differs from one look at the items. */
  async #suspects(inspection: Comparing, lists: ListsInspection): Promise<Suspect[]> {
    const suspects: Suspect[] = []
    for await (const group of lists.groups()) this.#groups.set(group, this.#groups.get(group) ?? 0)
    const lacking = new Set<string>()
    for (const [group, wanted] of this.#groups) {
      let found = 0
      try {
        for await (const entries of lists.entries(group)) {
          for (const entry of entries) {
            const id = idOf(entry)
            const known = this.#expected.get(id)
            if (known % TWO_32 !== this.#numberOf(entry.cell) + 1) suspects.push(this.#suspect(entry))
            else if (known < TWO_32) {
              this.#expected.set(id, known + TWO_32)
              found += 1
            }
          }
        }
      } catch (error) {
        if (!(error instanceof LapidaryError) || error.code !== 'unprocessable') throw error
        const full = unverified(this.#context.collection, this.#pages, 'full')
        this.notVerified = [{ ...full, message: error.message }]
        continue
      }
      if (found < wanted) lacking.add(group)
    }
    if (lacking.size > 0) await this.#findMissing(inspection, lacking, suspects)
    return suspects
  }

  /** Only what is missing has to be named by the items: they are read once more. */
  async #findMissing(
    { table, budget, signal }: Comparing,
    groups: ReadonlySet<string>,
    into: Suspect[],
  ): Promise<void> {
    const known = new Set(into.map(idOf))
    await scanTable({
      ...{ table, budget, signal, segments: SEGMENTS },
      onPage: (entries) => {
        for (const entry of entries) {
          const key = plainKeyOf(entry)
          for (const { group, place } of this.#entriesOf(entry, key)) {
            const id = idOf({ group, place })
            if (groups.has(group) && this.#expected.get(id) < TWO_32 && !known.has(id)) into.push({ group, place, key })
          }
        }
      },
    })
  }

  /**
   * What differs for sure: an item that did not change since the last change which the page index has, and is somewhere else. First
   * the checkpoint is read, then the lists, then the item, then the stream past all of that; so whatever changed the item is known.
   */
  async #lookAgain(inspection: Comparing, lists: ListsInspection, suspects: readonly Suspect[]) {
    const isTakenIn = await inspection.guarded(this.#changes.takenIn(this.#followed))
    const looked: { suspect: Suspect; expected: string | undefined; actual: string | undefined }[] = []
    for (const suspect of suspects) {
      const actual = await inspection.guarded(lists.cellAt(suspect.group, suspect.place, suspect.cell))
      const expected = await inspection.guarded(this.#expectedAt(inspection, suspect))
      if (actual !== expected) looked.push({ suspect, expected, actual })
    }
    if (looked.length > 0) await inspection.readLog()
    const isSure = ({ suspect }: (typeof looked)[number]): boolean => isTakenIn(suspect.key.PK)
    return {
      different: looked.filter(isSure),
      unsure: looked.filter((each) => !isSure(each)).map(({ suspect }) => suspect),
    }
  }

  /** The list in which an item should be at a place, by the item as it is now. */
  async #expectedAt({ budget, signal }: Comparing, { key, group, place }: Suspect): Promise<string | undefined> {
    const table = withinBudget(this.#context.table, budget, READ_UNITS, signal)
    const entry = await readEntry(table, keyEntry(key))
    const listed = entry && this.#pages.entriesOf(entry).find((each) => idOf(each) === idOf({ group, place }))
    return listed?.cell
  }

  async #mend(
    mark: string,
    number: number,
    { group, place }: Suspect,
    expected: string | undefined,
    actual: string | undefined,
  ): Promise<void> {
    const removal = actual === undefined ? [] : [{ op: 'remove', group, place, cell: actual } as const]
    const addition = expected === undefined ? [] : [{ op: 'add', group, place, cell: expected } as const]
    const change = { sequenceNumber: String(number + 1), steps: [...removal, ...addition] }
    try {
      await this.#pages.lists.apply(mark, [change])
    } catch (cause) {
      if (!(cause instanceof LapidaryError) || cause.code !== 'unprocessable') throw cause
      const what = `the page index of ${this.#context.collection.name} can't be mended entry by entry`
      throw new LapidaryError(cause.code, `${what}, so run lapidary rebuild page-index: ${cause.message}`, { cause })
    }
  }

  /** Entries are mended one by one; what counts them may be spoilt too. */
  async #requireSound(group: string): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await this.#pages.lists.validate(group)
        return
      } catch (cause) {
        if (tries < MOST_LOOKS) {
          await this.#context.table.sleep(PAUSE_MS)
          continue
        }
        const what = `the page index of ${this.#context.collection.name} is damaged at ${group}`
        const message = `${what}: ${String(cause)}; run lapidary rebuild page-index`
        throw new LapidaryError('page_index_damaged', message, { cause })
      }
    }
  }

  #difference({ key }: Suspect, expected: string | undefined, actual: string | undefined): Difference {
    const kind = actual === undefined ? 'missing' : expected === undefined ? 'dangling' : 'wrong'
    const collection = this.#context.collection.name
    const cells = { expected: expected ?? null, actual: actual ?? null }
    const name = this.#pages.label === undefined ? 'list' : `list of ${this.#pages.label}`
    return { kind, projection: PAGES, collection, target: key, name, ...cells }
  }

  #suspect(entry: ListEntry): Suspect {
    const { collection } = this.#context
    const { id } = this.#pages.positionAt(entry.place)
    const key = this.#keys.get(id) ?? { PK: `${collection.name}#${id}`, SK: PRIMARY_SORT_KEY }
    return { ...entry, key }
  }

  #noteKey({ place }: ListEntry, key: TargetKey): void {
    const { collection } = this.#context
    const { id } = this.#pages.positionAt(place)
    if (key.PK !== `${collection.name}#${id}`) this.#keys.set(id, key)
  }

  #entriesOf(entry: Entry, key: TargetKey): readonly ListEntry[] {
    return isItemKey(this.#context.collection, key) ? this.#pages.entriesOf(entry) : []
  }

  #numberOf(cell: string): number {
    const known = this.#cells.indexOf(cell)
    return known >= 0 ? known : this.#cells.push(cell) - 1
  }

  get #followed(): FollowedTable {
    const { table } = this.#context
    return { ...table, follower: this.#pages.copy.apart }
  }
}

function idOf({ group, place }: Pick<ListEntry, 'group' | 'place'>): string {
  return `${group} ${placeText(place)}`
}
