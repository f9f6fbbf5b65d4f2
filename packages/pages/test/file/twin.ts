import fc from 'fast-check'
import { expect } from 'vitest'
import type { DiskChange, DiskEntry, DiskListsReader } from '../../src/file/index.ts'

/** The same lists, kept in memory in the simplest way. */
export class Twin {
  readonly lists: Map<string, Map<string, number>>

  constructor(lists: Map<string, Map<string, number>> = new Map()) {
    this.lists = lists
  }

  /** How many changes made a difference. */
  apply(changes: readonly DiskChange[]): number {
    return changes.filter((change) => this.#apply(change)).length
  }

  #apply(change: DiskChange): boolean {
    const list = this.lists.get(change.list)
    if (change.type === 'drop') return this.lists.delete(change.list)
    if (change.type === 'remove') {
      const removed = list?.delete(change.member) ?? false
      if (list?.size === 0) this.lists.delete(change.list)
      return removed
    }
    if (list?.get(change.member) === change.score) return false
    if (list === undefined) this.lists.set(change.list, new Map([[change.member, change.score]]))
    else list.set(change.member, change.score)
    return true
  }

  entries(list: string): DiskEntry[] {
    return [...(this.lists.get(list) ?? [])]
      .map(([member, score]) => ({ member, score }))
      .sort((a, b) => a.score - b.score || (a.member < b.member ? -1 : 1))
  }

  copy(): Twin {
    return new Twin(new Map([...this.lists].map(([name, list]) => [name, new Map(list)])))
  }

  /** Everything in one value. */
  text(): string {
    const names = [...this.lists.keys()].sort()
    return JSON.stringify(names.map((name) => [name, this.entries(name).map(shown)]))
  }
}

/** Zero has two forms, of which JSON knows one. */
const shown = ({ member, score }: DiskEntry): readonly unknown[] => [
  member,
  Object.is(score, -0) ? '-0' : String(score),
]

/** Everything that a store has, in one value. */
export function textOfStore(store: DiskListsReader): string {
  const names = allNames(store).sort()
  return JSON.stringify(names.map((name) => [name, store.slice(name, 0, store.count(name)).map(shown)]))
}

/** Walks the names in small pieces. */
export function allNames(store: DiskListsReader): string[] {
  const names = new Set<string>()
  let from: number | undefined
  do {
    const piece = store.lists(3, from)
    for (const name of piece.items) names.add(name)
    from = piece.next
  } while (from !== undefined)
  return [...names]
}

/** The members of a range, as they are handed over. */
function copied(store: DiskListsReader, list: string, start: number, end: number): string[] {
  const members: string[] = []
  store.copyMembers(list, start, end, {
    takeText: (text) => void members.push(text),
    takeBytes: ({ buffer, byteOffset }, from, length) =>
      void members.push(Buffer.from(buffer, byteOffset + from, length).toString('latin1')),
  })
  return members
}

/** Asks every question in every way, and compares. */
export function expectEqual(store: DiskListsReader, twin: Twin, questions: readonly string[]): void {
  expect(textOfStore(store)).toBe(twin.text())
  expect(store.status().lists).toBe(twin.lists.size)
  for (const list of [...twin.lists.keys(), 'missing']) {
    const entries = twin.entries(list)
    expect(store.count(list)).toBe(entries.length)
    for (const [rank, entry] of entries.entries()) {
      expect(store.at(list, rank)).toEqual(entry)
      expect(store.rank(list, entry.score, entry.member)).toBe(rank)
      expect(store.score(list, entry.member)).toBe(entry.score)
      expect(store.find(list, entry.member)).toEqual({ rank, score: entry.score })
    }
    expect(store.at(list, entries.length)).toBe(undefined)
    for (let start = 0; start < entries.length; start += 3) {
      expect(store.slice(list, start, start + 4)).toEqual(entries.slice(start, start + 4))
      const members = entries.slice(start, start + 4).map((entry) => entry.member)
      expect(copied(store, list, start, start + 4)).toEqual(members)
    }
    expect(store.slice(list, 0, entries.length)).toEqual(entries)
    expect(copied(store, list, 0, entries.length)).toEqual(entries.map((entry) => entry.member))
    const members = new Set<string>()
    for (let from: number | undefined = 0; from !== undefined; ) {
      const piece = store.members(list, 2, from)
      for (const member of piece.items) members.add(member)
      from = piece.next
    }
    expect([...members].sort()).toEqual(entries.map(({ member }) => member).sort())
    for (const member of questions) {
      expect(store.score(list, member)).toBe(twin.lists.get(list)?.get(member))
      expect(store.find(list, member)?.score).toBe(twin.lists.get(list)?.get(member))
      for (const score of [Number.NEGATIVE_INFINITY, -1, 0, 0.5, 3, Number.POSITIVE_INFINITY]) {
        const before = entries.filter((e) => e.score < score || (e.score === score && e.member < member)).length
        expect(store.rank(list, score, member)).toBe(before)
      }
    }
  }
}

/** Bytes of any value, short and long ones: the longest are beyond a block. */
export const member: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.nat({ max: 30 }).map((n) => `m${n}`) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes).toString('latin1')) },
  {
    weight: 2,
    arbitrary: fc.integer({ min: 15, max: 60 }).map((n) => '01ARZ3NDEK-_tsv4rrffq69g5fav'.repeat(3).slice(0, n)),
  },
  { weight: 1, arbitrary: fc.nat({ max: 5 }).map((n) => 'long'.repeat(n * 400) + n) },
)
export const score: fc.Arbitrary<number> = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -3, max: 6 }) },
  { weight: 1, arbitrary: fc.double({ noNaN: true }) },
  { weight: 1, arbitrary: fc.constantFrom(0, -0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY) },
)
export const list: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('a', 'b', 'PRODUCT#42/en/5') },
  { weight: 2, arbitrary: fc.nat({ max: 40 }).map((n) => `small ${n}`) },
  { weight: 1, arbitrary: fc.constantFrom('', 'n'.repeat(34), 'a list whose name has no room in its field') },
)
export const change: fc.Arbitrary<DiskChange> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ type: fc.constant('set' as const), list, member, score }) },
  { weight: 5, arbitrary: fc.record({ type: fc.constant('remove' as const), list, member }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('drop' as const), list }) },
)
export const changes: fc.Arbitrary<DiskChange[]> = fc.array(change, { maxLength: 12 })
