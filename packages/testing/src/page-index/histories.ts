import fc from 'fast-check'
import type { ListChange, ListEntry, ListStep, Place, RankQuestion } from 'lapidary'
import { comparePlaces } from 'lapidary/internal'
import { awkwardText } from '../arbitraries/texts.ts'

interface HistoryBatch {
  readonly shardId: string
  readonly changes: readonly ListChange[]
  /** How many changes of the batch come once more. */
  readonly again: number
}

interface History {
  readonly batches: readonly HistoryBatch[]
  readonly questions: readonly RankQuestion[]
}

export const GROUPS = ['42', 'a%2Fb/%~'] as const
export const CELLS = ['en#5', 'en#4', 'de#5', '#1', 'ü%23#2'] as const

const place: fc.Arbitrary<Place> = fc.record(
  {
    score: fc.oneof(
      { weight: 4, arbitrary: fc.integer({ min: 0, max: 6 }) },
      fc.constantFrom(-1.5, -1e300, 1e300, 1.6e12, Number.MIN_VALUE, 1e-7, 0.3),
      fc.date({ noInvalidDate: true }).map((date) => date.getTime()),
    ),
    member: fc.oneof(
      fc.constantFrom('a', 'b', 'ab', 'z'),
      awkwardText().filter((text) => !text.includes('\u0000')),
    ),
  },
  { noNullPrototype: true },
)

function distinctPlaces(most: number): fc.Arbitrary<Place[]> {
  return fc.uniqueArray(place, { minLength: 1, maxLength: most, comparator: (a, b) => comparePlaces(a, b) === 0 })
}

/** Draws changes of items in the order of their shards, and questions that are asked after each batch. */
export function history(): fc.Arbitrary<History> {
  return fc
    .record({
      // Few items change often, so that a change that comes again is older than what is there.
      places: fc.oneof(distinctPlaces(5), distinctPlaces(60)),
      moves: fc.array(
        fc.record({
          item: fc.nat(),
          group: fc.constantFrom(...GROUPS),
          cell: fc.option(fc.constantFrom(...CELLS), { nil: undefined, freq: 4 }),
          shard: fc.nat({ max: 1 }),
        }),
        { minLength: 1, maxLength: 150 },
      ),
      cuts: fc.array(fc.record({ size: fc.integer({ min: 1, max: 40 }), again: fc.nat({ max: 40 }) }), {
        minLength: 1,
        maxLength: 8,
      }),
      questions: fc.array(question(), { minLength: 1, maxLength: 6 }),
    })
    .map(({ places, moves, cuts, questions }) => ({ batches: historyBatches(places, moves, cuts), questions }))
}

/** Lists that are filled from a scan while items change. */
interface Filling {
  readonly history: {
    readonly before: readonly HistoryBatch[]
    /** The batches during the filling. The last of those before come again: they are the first that the filling lists get. */
    readonly during: readonly HistoryBatch[]
    readonly later: readonly HistoryBatch[]
  }
  /** The entries that the scan adds before each batch. */
  readonly seen: readonly (readonly ListEntry[])[]
  readonly questions: readonly RankQuestion[]
}

/** Draws a filling in which the scan sees each item once, somewhere, as it was or will be at some time since the filling began. */
export function filling(): fc.Arbitrary<Filling> {
  return fc
    .record({ made: history(), when: fc.infiniteStream(fc.nat()), state: fc.infiniteStream(fc.nat()) })
    .map(({ made: { batches, questions }, when, state }) => {
      const third = Math.ceil(batches.length / 3)
      const before = batches.slice(0, third)
      const own = batches.slice(third, 2 * third)
      const states = new Map<string, (ListEntry | undefined)[]>()
      for (const [i, { changes }] of [...before, ...own].entries()) {
        for (const { steps } of changes) {
          for (const { op, ...entry } of steps) {
            const id = JSON.stringify([entry.group, entry.place])
            const known = i < third ? [] : (states.get(id) ?? [undefined])
            if (op === 'add') states.set(id, [...known, entry])
            else if (steps.length === 1) states.set(id, [...known, undefined])
          }
        }
      }
      const during = [...before.slice(-1), ...own]
      const seen = during.map((): ListEntry[] => [])
      for (const each of states.values()) {
        const entry = each[state.next().value % each.length]
        if (entry !== undefined) seen[when.next().value % seen.length]?.push(entry)
      }
      return { history: { before, during, later: batches.slice(2 * third) }, seen, questions }
    })
}

function question(): fc.Arbitrary<RankQuestion> {
  return fc.record({
    groups: fc.shuffledSubarray([...GROUPS, 'empty'], { minLength: 1 }),
    includes: fc
      .option(fc.subarray([...CELLS]), { nil: undefined })
      .map((cells) => (cells === undefined ? () => true : (cell: string) => cells.includes(cell as never))),
    lower: fc.option(place, { nil: undefined, freq: 2 }),
    upper: fc.option(place, { nil: undefined, freq: 2 }),
    ascending: fc.boolean(),
    offset: fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 70 })),
    near: fc.nat({ max: 20 }),
  })
}

interface HistoryMove {
  readonly item: number
  readonly group: string
  /** The list that the item goes to; undefined where it is deleted. */
  readonly cell: string | undefined
  readonly shard: number
}

/** Makes batches in which items keep to their shard and their group, as in a stream; each move takes the item out of the list that it was in. */
function historyBatches(
  places: readonly Place[],
  moves: readonly HistoryMove[],
  cuts: readonly { readonly size: number; readonly again: number }[],
): readonly HistoryBatch[] {
  const at = new Map<number, string>()
  const changes = moves.map(({ item, cell }, i): { readonly shard: number; readonly change: ListChange } => {
    const index = item % places.length
    const placed = { group: GROUPS[index % 2] as string, place: places[index] as Place }
    const before = at.get(index)
    const steps: ListStep[] = []
    if (before !== undefined) steps.push({ op: 'remove', cell: before, ...placed })
    if (cell !== undefined) steps.push({ op: 'add', cell, ...placed })
    if (cell === undefined) at.delete(index)
    else at.set(index, cell)
    return { shard: index % 3 === 0 ? 1 : 0, change: { sequenceNumber: String(100 + i), steps } }
  })
  const batches: HistoryBatch[] = []
  for (let from = 0, i = 0; from < changes.length; i++) {
    const { size = 1, again = 0 } = cuts[i % cuts.length] ?? {}
    const part = changes.slice(from, from + size)
    for (const shard of [0, 1]) {
      const own = part.filter((each) => each.shard === shard).map(({ change }) => change)
      if (own.length > 0) batches.push({ shardId: `shard-${shard}`, changes: own, again })
    }
    from += size
  }
  return batches
}
