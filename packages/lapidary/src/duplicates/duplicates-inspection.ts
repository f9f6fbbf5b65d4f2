import { hash } from 'node:crypto'
import type { Comparing, CopyFinding, CopyInspection, CopySuspect, Difference } from '../derived/copy-inspection.ts'
import type { TargetKey } from '../derived/target-key.ts'
import type { Entry } from '../model/entry.ts'
import { livenessOf } from '../model/expiry.ts'
import { ownValue } from '../model/own-value.ts'
import { isItemKey, PRIMARY_SORT_KEY, plainKeyOf } from '../model/stored-item.ts'
import { withinBudget } from '../table/capacity-budget.ts'
import { inLanes } from '../table/in-lanes.ts'
import { DUPLICATES } from './duplicates-shape.ts'
import {
  type DifferingDuplicate,
  type DuplicatesContext,
  duplicatesOf,
  entryText,
  type ItemPartition,
  isDuplicate,
  readPartition,
} from './partition.ts'
import { settleDuplicates } from './settle-duplicates.ts'

/** Milliseconds between two looks at an item whose writes keep its duplicates: a transaction that one look may have seen half of is then over. */
const BETWEEN_LOOKS_MS = 100
const READ_AT_ONCE = 8
/** The expected RCU of an item with its duplicates, before the read reports its own. */
const FEW_UNITS = 4
const SHOWN_CHARACTERS = 100
/** The most items whose odd duplicates are remembered; beyond that, only that something is odd. */
const MOST_ODD = 2_000

export interface InspectedDuplicates extends DuplicatesContext {
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Whether the change stream keeps the duplicates; else the writes of the items do. */
  readonly isStreamed: boolean
}

/**
 * Compares the duplicates of a collection with its items, beside a scan that reads both anyway. An item and its duplicates come close together
 * in a scan, so the inspection remembers little at a time, however large the table.
 */
export class DuplicatesInspection implements CopyInspection {
  readonly #context: InspectedDuplicates
  /** Digests by partition: of duplicates that are expected and were not seen, and of those that were seen and not expected. */
  readonly #odd = new Map<string, Set<string>>()
  readonly #suspects = new Set<string>()

  constructor(context: InspectedDuplicates) {
    this.#context = context
  }

  see(entry: Entry): void {
    const key = plainKeyOf(entry)
    if (isItemKey(this.#context.collection, key)) {
      for (const wanted of duplicatesOf(this.#context, entry)) this.#toggle(key.PK, wanted)
    } else if (isDuplicate(this.#context, entry)) this.#toggle(key.PK, entry)
  }

  suspect({ PK, SK }: TargetKey): void {
    const { collection } = this.#context
    if (isItemKey(collection, { PK, SK }) || isDuplicate(this.#context, { PK: { S: PK }, SK: { S: SK } }))
      this.#suspects.add(PK)
  }

  async suspects(): Promise<readonly CopySuspect[]> {
    const partitions = new Set([...this.#suspects, ...this.#odd.keys()])
    return [...partitions].map((id) => ({ id, item: { PK: id, SK: PRIMARY_SORT_KEY } }))
  }

  async look(suspects: readonly CopySuspect[], inspection: Comparing): Promise<readonly CopyFinding[]> {
    const context = this.#within(inspection)
    const first = await this.#read(context, suspects, inspection)
    if (first.size === 0 || context.isStreamed) return this.#findings(first, () => false)
    await inspection.guarded(context.table.sleep(BETWEEN_LOOKS_MS))
    const again = await this.#read(context, [...first.keys()], inspection)
    return this.#findings(again, (suspect, found) => !isSameItem(first.get(suspect), found))
  }

  settle({ suspect }: CopyFinding, inspection: Comparing): Promise<number> {
    return settleDuplicates(this.#within(inspection), suspect.id)
  }

  #within({ table, budget, signal }: Comparing): InspectedDuplicates {
    return { ...this.#context, table: withinBudget(table, budget, FEW_UNITS, signal) }
  }

  #findings(
    found: ReadonlyMap<CopySuspect, ItemPartition>,
    isUnsure: (suspect: CopySuspect, found: ItemPartition) => boolean,
  ): readonly CopyFinding[] {
    return [...found].map(([suspect, partition]) => ({
      suspect,
      isUnsure: isUnsure(suspect, partition),
      differences: partition.differing.flatMap((each) => this.#differences(suspect.id, each)),
    }))
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

  /** Reads the suspects again, and returns the items whose duplicates differ. */
  async #read(
    context: InspectedDuplicates,
    suspects: readonly CopySuspect[],
    { signal }: Comparing,
  ): Promise<Map<CopySuspect, ItemPartition>> {
    const found = new Map<CopySuspect, ItemPartition>()
    const isLive = livenessOf(context.collection, context.codec, context.clock)
    await inLanes(suspects, READ_AT_ONCE, async (suspect) => {
      signal.throwIfAborted()
      const { primary, differing } = await readPartition(context, suspect.id)
      // DynamoDB removes expired entries one by one, within days.
      const live = differing.filter(({ wanted, found }) => isLive?.(wanted ?? found ?? {}) !== false)
      if (live.length > 0) found.set(suspect, { primary, differing: live })
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

/** Tells whether the item was the same at both looks, so that the difference is no change under way. */
function isSameItem(before: ItemPartition | undefined, now: ItemPartition): boolean {
  const [was, is] = [before?.primary, now.primary]
  return was === undefined || is === undefined ? was === is : entryText(was) === entryText(is)
}

function shownText(entry: Entry | undefined, name: string): string | null {
  const value = entry && ownValue(entry, name)
  if (value === undefined) return null
  return (value.S ?? value.N ?? JSON.stringify(value)).slice(0, SHOWN_CHARACTERS)
}
