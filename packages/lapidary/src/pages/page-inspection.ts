import { createHash, randomUUID } from 'node:crypto'
import type { Change } from '../derived/change.ts'
import type {
  Comparing,
  CopyFinding,
  CopyInspection,
  CopySuspect,
  Difference,
  NotVerified,
} from '../derived/copy-inspection.ts'
import { keyEntry } from '../derived/guarded-write.ts'
import { KeyTable } from '../derived/key-table.ts'
import type { TargetKey } from '../derived/target-key.ts'
import type { Collection } from '../model/collection.ts'
import type { Entry } from '../model/entry.ts'
import { LapidaryError } from '../model/errors.ts'
import type { Position } from '../model/position.ts'
import { isItemKey, PRIMARY_SORT_KEY, plainKeyOf } from '../model/stored-item.ts'
import { withinBudget } from '../table/capacity-budget.ts'
import { readEntry } from '../table/read-entries.ts'
import { scanTable } from '../table/scan-table.ts'
import type { TableClient } from '../table/table-client.ts'
import { type Place, placeText } from './place.ts'
import type { ListEntry, ListsInspection, SortedLists } from './sorted-lists.ts'

/** The lists that are compared, as far as they have to be known. */
interface InspectedPages {
  readonly label: string | undefined
  /** What keeps them is called. */
  readonly projection: string
  /** What `lapidary rebuild` calls them. */
  readonly rebuiltAs: string
  /** Whether nearly each entry may have a list of its own: then a list is known by a hash, not by its name. */
  readonly hasManyLists?: boolean
  readonly lists: SortedLists
  entriesOf(image: Entry): readonly ListEntry[]
  positionAt(place: Place): Position
}

/** An entry that is not where the item says, or has no item; as far as one look can tell. */
interface EntrySuspect extends CopySuspect, Pick<ListEntry, 'group' | 'place'> {
  /** The list in which it was seen; undefined where it was seen in none. */
  readonly cell?: string
}

/** An entry, the list that it should be in and the one in which it is. */
interface EntryFinding extends CopyFinding<EntrySuspect> {
  readonly expected: string | undefined
  readonly actual: string | undefined
}

/** How often a group that was mended is looked at until it is sound. */
const MOST_LOOKS = 5
const PAUSE_MS = 500
const READ_UNITS = 1
const SEGMENTS = 2
const TWO_32 = 2 ** 32

/** Compares the lists of a page index with the items: every entry, where it is and where the item says. */
export class PageInspection implements CopyInspection<EntrySuspect, EntryFinding> {
  readonly #collection: Pick<Collection, 'name'>
  readonly #table: TableClient
  readonly #pages: InspectedPages
  notVerified: Pick<NotVerified, 'reason' | 'message'> | undefined
  readonly named: NonNullable<CopyInspection['named']>
  #lists: ListsInspection | undefined
  readonly #cells = new Map<string, number>()
  /** By group and place the number of the list, and 2^32 more once an entry says the same. */
  readonly #expected = new KeyTable()
  /** Entries of a group that items should have. */
  readonly #groups = new Map<string, number>()
  /** Keys of items whose ids are too long for a position. */
  readonly #keys = new Map<string, TargetKey>()
  /** Suspects that were looked at while their keys were not known: those of items that came after the scan, until the change stream tells of them. */
  readonly #lookedAt = new Set<string>()
  /** A made-up shard, whose mark expires as those of others do. */
  readonly #mark = `repair-${randomUUID()}`
  #mended = 0
  readonly #mendedGroups = new Set<string>()

  constructor(collection: Pick<Collection, 'name'>, table: TableClient, pages: InspectedPages) {
    this.#collection = collection
    this.#table = table
    this.#pages = pages
    const { label, lists } = pages
    this.named = { ...(label === undefined ? {} : { label }), store: lists.name }
  }

  async begin(): Promise<Pick<NotVerified, 'reason'> | undefined> {
    this.#lists = await this.#pages.lists.inspect?.()
    return this.#lists === undefined ? { reason: 'no_inspect' } : undefined
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

  logged({ key, before, after }: Change): void {
    for (const image of [before, after]) {
      if (image !== undefined) for (const listed of this.#pages.entriesOf(image)) this.#noteKey(listed, key)
    }
  }

  async suspects(inspection: Comparing): Promise<readonly EntrySuspect[]> {
    const lists = this.#lists as ListsInspection
    const suspects: EntrySuspect[] = []
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
        this.notVerified = { reason: 'full', message: error.message }
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
    into: EntrySuspect[],
  ): Promise<void> {
    const known = new Set(into.map(({ id }) => id))
    await scanTable({
      ...{ table, budget, signal, segments: SEGMENTS },
      onPage: (entries) => {
        for (const entry of entries) {
          const item = plainKeyOf(entry)
          for (const { group, place } of this.#entriesOf(entry, item)) {
            const id = idOf({ group, place })
            if (groups.has(group) && this.#expected.get(id) < TWO_32 && !known.has(id))
              into.push({ id, group, place, item })
          }
        }
      },
    })
  }

  async look(suspects: readonly EntrySuspect[], inspection: Comparing): Promise<readonly EntryFinding[]> {
    const lists = this.#lists as ListsInspection
    const found: EntryFinding[] = []
    for (const each of suspects) {
      const { key, isKnown } = this.#keyAt(each.place)
      const suspect = { ...each, item: each.cell === undefined ? each.item : key }
      const isUnsure = each.cell !== undefined && !isKnown && !this.#lookedAt.has(each.id)
      if (isUnsure) this.#lookedAt.add(each.id)
      const actual = await inspection.guarded(lists.cellAt(suspect.group, suspect.place, suspect.cell))
      const expected = await inspection.guarded(this.#expectedAt(inspection, suspect))
      if (actual === expected) continue
      found.push({ suspect, expected, actual, isUnsure, differences: [this.#difference(suspect, expected, actual)] })
    }
    return found
  }

  /** The list in which an item should be at a place, by the item as it is now. */
  async #expectedAt({ budget, signal }: Comparing, { item, id }: EntrySuspect): Promise<string | undefined> {
    const table = withinBudget(this.#table, budget, READ_UNITS, signal)
    const entry = await readEntry(table, keyEntry(item))
    return entry && this.#pages.entriesOf(entry).find((each) => idOf(each) === id)?.cell
  }

  async settle({ suspect: { group, place }, expected, actual }: EntryFinding): Promise<number> {
    const removal = actual === undefined ? [] : [{ op: 'remove', group, place, cell: actual } as const]
    const addition = expected === undefined ? [] : [{ op: 'add', group, place, cell: expected } as const]
    this.#mended += 1
    this.#mendedGroups.add(group)
    try {
      await this.#pages.lists.apply(this.#mark, [
        { sequenceNumber: String(this.#mended), steps: [...removal, ...addition] },
      ])
    } catch (cause) {
      if (!(cause instanceof LapidaryError) || cause.code !== 'unprocessable') throw cause
      const what = `the ${this.#shown} of ${this.#collection.name} can't be mended entry by entry`
      throw new LapidaryError(
        cause.code,
        `${what}, so run lapidary rebuild ${this.#pages.rebuiltAs}: ${cause.message}`,
        { cause },
      )
    }
    return 1
  }

  /** Entries are mended one by one; what counts them may be spoilt too. */
  async settled(inspection: Comparing): Promise<void> {
    for (const group of this.#mendedGroups) await inspection.guarded(this.#requireSound(group))
  }

  async #requireSound(group: string): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await this.#pages.lists.validate(group)
        return
      } catch (cause) {
        if (tries < MOST_LOOKS) {
          await this.#table.sleep(PAUSE_MS)
          continue
        }
        const what = `the ${this.#shown} of ${this.#collection.name} is damaged at ${group}`
        const message = `${what}: ${String(cause)}; run lapidary rebuild ${this.#pages.rebuiltAs}`
        throw new LapidaryError('page_index_damaged', message, { cause })
      }
    }
  }

  #difference({ item }: EntrySuspect, expected: string | undefined, actual: string | undefined): Difference {
    const kind = actual === undefined ? 'missing' : expected === undefined ? 'dangling' : 'wrong'
    const collection = this.#collection.name
    const cells = { expected: expected ?? null, actual: actual ?? null }
    const name = this.#pages.label === undefined ? 'list' : `list of ${this.#pages.label}`
    return { kind, projection: this.#pages.projection, collection, target: item, name, ...cells }
  }

  get #shown(): string {
    return this.#pages.rebuiltAs.replace('-', ' ')
  }

  #suspect(entry: ListEntry): EntrySuspect {
    return { ...entry, id: idOf(entry), item: this.#keyAt(entry.place).key }
  }

  /** Returns the key of the item at a place; a guess, which is of no item, where its id is too long for a position and not known. */
  #keyAt(place: Place): { readonly key: TargetKey; readonly isKnown: boolean } {
    const { id } = this.#pages.positionAt(place)
    const known = this.#keys.get(id)
    const key = known ?? { PK: `${this.#collection.name}#${id}`, SK: PRIMARY_SORT_KEY }
    return { key, isKnown: known !== undefined || !id.includes('~') }
  }

  #noteKey({ place }: ListEntry, key: TargetKey): void {
    const { id } = this.#pages.positionAt(place)
    if (key.PK !== `${this.#collection.name}#${id}`) this.#keys.set(id, key)
  }

  #entriesOf(entry: Entry, key: TargetKey): readonly ListEntry[] {
    return isItemKey(this.#collection, key) ? this.#pages.entriesOf(entry) : []
  }

  #numberOf(cell: string): number {
    // One of four milliards, so that it is as good as no other.
    if (this.#pages.hasManyLists === true) return createHash('sha256').update(cell).digest().readUInt32LE() - 1
    const known = this.#cells.get(cell) ?? this.#cells.size
    this.#cells.set(cell, known)
    return known
  }
}

function idOf({ group, place }: Pick<ListEntry, 'group' | 'place'>): string {
  return `${group} ${placeText(place)}`
}
