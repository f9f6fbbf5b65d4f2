import { hash } from 'node:crypto'
import type { Change } from '../../derived/change.ts'
import type { TargetKey } from '../../derived/projection.ts'
import { DUPLICATES } from '../../duplicates/duplicates-shape.ts'
import {
  type DifferingDuplicate,
  type DuplicatesContext,
  duplicatesOf,
  entryText,
  type ItemPartition,
  isDuplicate,
  readPartition,
} from '../../duplicates/partition.ts'
import { settleDuplicates } from '../../duplicates/settle-duplicates.ts'
import type { Entry } from '../../model/entry.ts'
import { livenessOf } from '../../model/expiry.ts'
import { ownValue } from '../../model/own-value.ts'
import { isItemKey, plainKeyOf } from '../../model/stored-item.ts'
import { withinBudget } from '../../table/capacity-budget.ts'
import type { ComparedPages, Comparing } from '../compared-pages.ts'
import type { Difference } from '../difference.ts'
import { inLanes } from '../in-lanes.ts'
import { LastChanges } from '../last-changes.ts'

/** Looks at an item that keeps changing; after them it is left to the next time. */
const MOST_LOOKS = 5
/** Between two looks at an item: a transaction that one look may have seen half of is over. */
const BETWEEN_LOOKS_MS = 100
const READ_AT_ONCE = 8
/** RCU of an item with its duplicates, before the read tells. */
const FEW_UNITS = 4
const SHOWN_CHARACTERS = 100
/** Items of which it is known what is odd; of more, only that something is. */
const MOST_ODD = 2_000

interface InspectedDuplicates extends DuplicatesContext {
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/**
 * Compares the duplicates of a collection with its items, beside a scan that reads both anyway. An item and its duplicates come
 * close together in a scan, so that what is known of one and not yet of the other stays little, however large the table.
 */
export class DuplicatesInspection implements ComparedPages {
  readonly #context: InspectedDuplicates
  /** By partition: digests of duplicates that should be there and were not seen, and the other way round. */
  readonly #odd = new Map<string, Set<string>>()
  readonly #suspects = new Set<string>()
  readonly #changes = new LastChanges()

  constructor(context: InspectedDuplicates) {
    this.#context = context
  }

  /** Items whose duplicates did not look right, or were not looked at. */
  get suspects(): readonly string[] {
    return [...new Set([...this.#suspects, ...this.#odd.keys()])]
  }

  see(entry: Entry): void {
    const key = plainKeyOf(entry)
    if (isItemKey(this.#context.collection, key)) {
      for (const wanted of duplicatesOf(this.#context, entry)) this.#toggle(key.PK, wanted)
    } else if (isDuplicate(this.#context, entry)) this.#toggle(key.PK, entry)
  }

  /** Has the item looked at of which an entry has the key. */
  suspect({ PK, SK }: TargetKey): void {
    const { collection } = this.#context
    if (isItemKey(collection, { PK, SK }) || isDuplicate(this.#context, { PK: { S: PK }, SK: { S: SK } }))
      this.#suspects.add(PK)
  }

  logged(change: Change, shardId: string): void {
    if (isItemKey(this.#context.collection, change.key)) this.#changes.note(change, shardId)
  }

  async compare(inspection: Comparing, { mends }: { readonly mends: boolean }): Promise<number> {
    const context = this.#within(inspection)
    const isStreamed = context.layout.duplicates?.kept === 'stream'
    let before = await this.#look(context, this.suspects, inspection)
    let mended = 0
    for (let looks = 1; before.size > 0 && looks <= MOST_LOOKS; looks++) {
      // What the stream has not told yet, or its runner has not got to, is no difference.
      if (isStreamed) await inspection.readLog()
      else await inspection.guarded(context.table.sleep(BETWEEN_LOOKS_MS))
      const isSettled = isStreamed ? await this.#changes.takenIn(context.table) : () => true
      const settled = [...before.keys()].filter(isSettled)
      const now = await this.#look(context, settled, inspection)
      for (const [partition, found] of now) {
        if (!isSameItem(before.get(partition), found)) continue
        now.delete(partition)
        inspection.report(found.differing.flatMap((each) => this.#differences(partition, each)))
        if (mends) mended += await inspection.guarded(settleDuplicates(context, partition))
      }
      before = now
    }
    return mended
  }

  /** Mends all that did not look right, whether the runner would come to it or not. */
  async mend(inspection: Comparing): Promise<number> {
    const context = this.#within(inspection)
    let mended = 0
    await inLanes(this.suspects, READ_AT_ONCE, async (partition) => {
      inspection.signal.throwIfAborted()
      const written = await inspection.guarded(settleDuplicates(context, partition))
      mended += written
    })
    return mended
  }

  #within({ table, budget, signal }: Comparing): InspectedDuplicates {
    return { ...this.#context, table: withinBudget(table, budget, FEW_UNITS, signal) }
  }

  #toggle(partition: string, duplicate: Entry): void {
    if (this.#suspects.has(partition)) return
    const digest = hash('sha256', entryText(duplicate), 'base64url').slice(0, 16)
    const odd = this.#odd.get(partition) ?? new Set()
    if (!odd.delete(digest)) odd.add(digest)
    if (odd.size === 0) this.#odd.delete(partition)
    else this.#odd.set(partition, odd)
    if (this.#odd.size <= MOST_ODD) return
    for (const each of this.#odd.keys()) this.#suspects.add(each)
    this.#odd.clear()
  }

  /** Items of which something differs. */
  async #look(
    context: InspectedDuplicates,
    partitions: readonly string[],
    { signal }: Comparing,
  ): Promise<Map<string, ItemPartition>> {
    const found = new Map<string, ItemPartition>()
    const isLive = livenessOf(context.collection, context.codec, context.clock)
    await inLanes(partitions, READ_AT_ONCE, async (partition) => {
      signal.throwIfAborted()
      const { primary, differing } = await readPartition(context, partition)
      // DynamoDB removes what has expired entry by entry, within days.
      const live = differing.filter(({ wanted, found }) => isLive?.(wanted ?? found ?? {}) !== false)
      if (live.length > 0) found.set(partition, { primary, differing: live })
    })
    return found
  }

  #differences(PK: string, { sortKey, wanted, found }: DifferingDuplicate): readonly Difference[] {
    const { collection, layout } = this.#context
    const common = { projection: DUPLICATES, collection: collection.name, target: { PK, SK: sortKey } }
    const kind = found === undefined ? 'missing' : wanted === undefined ? 'dangling' : 'wrong'
    const names =
      kind === 'wrong'
        ? [...new Set([...Object.keys(found ?? {}), ...Object.keys(wanted ?? {})])]
        : layout.indexes.slice(0, 1).flatMap(({ keys }) => keys.partition.map(({ name }) => name))
    return names
      .map(
        (name) =>
          ({ ...common, kind, name, expected: shownText(wanted, name), actual: shownText(found, name) }) as const,
      )
      .filter(({ expected, actual }) => kind !== 'wrong' || expected !== actual)
  }
}

/** The item was the same at both looks, so what differs is no change under way. */
function isSameItem(before: ItemPartition | undefined, now: ItemPartition): boolean {
  const [was, is] = [before?.primary, now.primary]
  return was === undefined || is === undefined ? was === is : entryText(was) === entryText(is)
}

function shownText(entry: Entry | undefined, name: string): string | null {
  const value = entry && ownValue(entry, name)
  if (value === undefined) return null
  return (value.S ?? value.N ?? JSON.stringify(value)).slice(0, SHOWN_CHARACTERS)
}
