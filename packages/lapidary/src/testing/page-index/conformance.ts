import assert from 'node:assert/strict'
import fc from 'fast-check'
import { comparePlaces, type Place } from '../../pages/place.ts'
import type { ListChange, ListEntry, ListStep, RankQuestion, SortedLists } from '../../pages/sorted-lists.ts'
import { awkwardText } from '../arbitraries/texts.ts'
import type { TestFunctions } from '../conformance/options.ts'
import { memoryLists } from './memory-lists.ts'

/** What the suite needs to know of a store. */
export interface SortedListsConformanceOptions extends TestFunctions {
  readonly name: string
  /** Opens a store with no lists in it. */
  readonly open: () => Promise<SortedLists>
  /** The seed of the histories; chance when not given. */
  readonly seed?: number
  /** Histories; 20 when not given. */
  readonly runs?: number
  /** Milliseconds that ends a test that hangs. */
  readonly timeout?: number
}

interface Batch {
  readonly shardId: string
  readonly changes: readonly ListChange[]
  /** Changes of the batch that come once more. */
  readonly again: number
}

interface History {
  readonly batches: readonly Batch[]
  readonly questions: readonly RankQuestion[]
}

const GROUPS = ['42', 'a%2Fb'] as const
const CELLS = ['en#5', 'en#4', 'de#5', '#1', 'ü%23#2'] as const

/**
 * What every store of sorted lists has to hold: each answer is that of the naive filter, sort and slice, after inserts in order
 * and far out of order, removals, moves between lists, ties and changes that come twice; and its structure is sound after each
 * batch.
 *
 * @example
 * ```ts
 * describeSortedListsConformance({ name: 'memory', describe, it, open: async () => memoryLists() })
 * ```
 */
export function describeSortedListsConformance(options: SortedListsConformanceOptions): void {
  const { name, describe, it, open, seed, runs = 20, timeout = 300_000 } = options
  describe(`sorted lists in ${name}`, () => {
    it(
      'answer as the naive ones do, after every batch',
      async () => {
        await fc.assert(
          fc.asyncProperty(history(), async ({ batches, questions }) => {
            const [lists, truth] = await opened(open)
            try {
              for (const { shardId, changes, again } of batches) {
                for (const part of [changes, changes.slice(0, again)]) {
                  await lists.apply(shardId, part)
                  await truth.apply(shardId, part)
                }
                for (const group of GROUPS) await lists.validate(group)
                await assertAnswers(lists, truth, questions)
              }
            } finally {
              await lists.close()
            }
          }),
          { numRuns: runs, ...(seed === undefined ? {} : { seed }) },
        )
      },
      timeout,
    )

    it(
      'take in no change again, however late it comes again',
      async () => {
        const [lists] = await opened(open)
        const [first, second] = [1, 2].map((n) => ({ score: n, member: 'a' })) as [Place, Place]
        const added: ListChange = {
          sequenceNumber: '9',
          steps: [{ op: 'add', group: '42', cell: 'en#5', place: first }],
        }
        const moved: ListChange = {
          sequenceNumber: '10',
          steps: [
            { op: 'remove', group: '42', cell: 'en#5', place: first },
            { op: 'add', group: '42', cell: 'en#4', place: first },
          ],
        }
        const deleted: ListChange = {
          sequenceNumber: '11',
          steps: [{ op: 'remove', group: '42', cell: 'en#4', place: first }],
        }
        await lists.apply('shard', [added, moved])
        await lists.apply('shard', [added])
        assert.deepEqual(await entriesOf(lists, ['en#5', 'en#4']), [[], [first]])
        await lists.apply('shard', [deleted])
        await lists.apply('shard', [added, moved])
        assert.deepEqual(await entriesOf(lists, ['en#5', 'en#4']), [[], []])
        await lists.apply('another', [{ ...added, steps: [{ op: 'add', group: '42', cell: 'en#5', place: second }] }])
        assert.deepEqual(await entriesOf(lists, ['en#5', 'en#4']), [[second], []])
        await lists.close()
      },
      timeout,
    )

    it(
      'do not bring back what was removed before the scan told of it',
      async () => {
        const lists = await open()
        const filling = await lists.fill()
        const gone: ListEntry = { group: '42', cell: 'en#5', place: { score: 1, member: 'gone' } }
        const moved: ListEntry = { group: '42', cell: 'en#5', place: { score: 2, member: 'moved' } }
        const still: ListEntry = { group: '42', cell: 'en#5', place: { score: 3, member: 'still' } }
        await lists.apply('shard', [
          { sequenceNumber: '1', steps: [{ op: 'remove', ...gone }] },
          {
            sequenceNumber: '2',
            steps: [
              { op: 'remove', ...moved },
              { op: 'add', ...moved, cell: 'en#4' },
            ],
          },
        ])
        await filling.add([gone, moved, still])
        await filling.finish()
        assert.deepEqual(await entriesOf(lists, ['en#5', 'en#4']), [[still.place], [moved.place]])
        // What was removed may come again later.
        await lists.apply('shard', [{ sequenceNumber: '3', steps: [{ op: 'add', ...gone }] }])
        assert.deepEqual(await entriesOf(lists, ['en#5']), [[gone.place, still.place]])
        await lists.validate('42')
        await lists.close()
      },
      timeout,
    )

    it(
      'are right when they are filled from a scan while items change',
      async () => {
        await fc.assert(
          fc.asyncProperty(filling(), async ({ history, seen, questions }) => {
            const lists = await open()
            const filling = await lists.fill()
            const truth = memoryLists()
            await truth.create()
            try {
              assert.equal(await lists.state(), 'filling')
              for (const { shardId, changes } of history.before) await truth.apply(shardId, changes)
              for (const [i, { shardId, changes }] of history.during.entries()) {
                // What the scan saw of an item may be older or newer than what is taken in by then.
                await filling.add(seen[i] ?? [])
                for (const each of [lists, truth]) await each.apply(shardId, changes)
              }
              await filling.finish()
              assert.equal(await lists.state(), 'ready')
              for (const group of GROUPS) await lists.validate(group)
              await assertAnswers(lists, truth, questions)
              for (const { shardId, changes } of history.later) {
                for (const each of [lists, truth]) await each.apply(shardId, changes)
              }
              for (const group of GROUPS) await lists.validate(group)
              await assertAnswers(lists, truth, questions)
            } finally {
              await lists.close()
            }
          }),
          { numRuns: runs, ...(seed === undefined ? {} : { seed }) },
        )
      },
      timeout,
    )

    it(
      'grow by thousands at the newest end, and lose them again',
      async () => {
        const [lists, truth] = await opened(open)
        const both = async (steps: readonly ListStep[], first: number): Promise<void> => {
          const changes = steps.map((step, i) => ({
            sequenceNumber: String(first + i).padStart(9, '0'),
            steps: [step],
          }))
          for (const each of [lists, truth]) await each.apply('shard', changes)
        }
        const stepOf = (op: ListStep['op'], i: number): ListStep => ({
          ...{ op, group: '42', cell: CELLS[i % 3] as string },
          place: { score: 1_600_000_000_000 + i * 1_000, member: `comment-${i}`.padEnd(64, '.') },
        })
        const total = 3_000
        for (let i = 0; i < total; i += 100) {
          await both(
            Array.from({ length: 100 }, (_, j) => stepOf('add', i + j)),
            i,
          )
        }
        await lists.validate('42')
        const question = { group: '42', lower: undefined, upper: undefined, offset: 0 }
        for (const offset of [0, 19, 500, 1_999, 2_000, 2_999, 3_000]) {
          for (const ascending of [true, false]) {
            await assertAnswers(lists, truth, [
              { ...question, includes: () => true, ascending, offset },
              { ...question, includes: (cell) => cell === 'en#4', ascending, offset },
            ])
          }
        }
        const leaving = Array.from({ length: total }, (_, i) => i).filter((i) => i % 50 !== 7)
        for (let i = 0; i < leaving.length; i += 100) {
          await both(
            leaving.slice(i, i + 100).map((n) => stepOf('remove', n)),
            total + i,
          )
        }
        await lists.validate('42')
        await assertAnswers(
          lists,
          truth,
          [0, 30, 59, 60].map((offset) => ({ ...question, includes: () => true, ascending: false, offset })),
        )
        await lists.close()
      },
      timeout,
    )
  })
}

async function opened(open: () => Promise<SortedLists>): Promise<readonly [lists: SortedLists, truth: SortedLists]> {
  const both = [await open(), memoryLists()] as const
  for (const lists of both) await lists.create()
  return both
}

/** The entries of each list, in ascending order. */
async function entriesOf(lists: SortedLists, cells: readonly string[]): Promise<readonly (readonly Place[])[]> {
  return Promise.all(
    cells.map(async (cell) => {
      const entries: Place[] = []
      const question = { group: '42', includes: (each: string) => each === cell, lower: undefined, upper: undefined }
      for (let offset = 0; ; offset++) {
        const { place } = await lists.select({ ...question, ascending: true, offset })
        if (place === undefined) return entries
        entries.push(place)
      }
    }),
  )
}

async function assertAnswers(
  lists: SortedLists,
  truth: SortedLists,
  questions: readonly RankQuestion[],
): Promise<void> {
  for (const question of questions) {
    const [{ total, place }, expected] = await Promise.all([lists.select(question), truth.select(question)])
    assert.deepEqual({ total, place }, { total: expected.total, place: expected.place }, shownQuestion(question))
  }
}

function shownQuestion({ includes, ...question }: RankQuestion): string {
  return JSON.stringify({ ...question, cells: CELLS.filter(includes) })
}

const place: fc.Arbitrary<Place> = fc.record(
  {
    score: fc.oneof(
      { weight: 4, arbitrary: fc.integer({ min: 0, max: 6 }) },
      fc.constantFrom(-1.5, -1e300, 1e300, 1.6e12, Number.MIN_VALUE),
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

function history(): fc.Arbitrary<History> {
  return fc
    .record({
      // Few items change often, so that what comes again is older than what is there.
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
    .map(({ places, moves, cuts, questions }) => ({ batches: batchesOf(places, moves, cuts), questions }))
}

interface Filling {
  readonly history: {
    readonly before: readonly Batch[]
    /** The last of those before come again: the first that the filling lists are told of. */
    readonly during: readonly Batch[]
    readonly later: readonly Batch[]
  }
  /** What the scan adds before each batch. */
  readonly seen: readonly (readonly ListEntry[])[]
  readonly questions: readonly RankQuestion[]
}

/** Each item is seen once by the scan, somewhere, as it was or will be at some time since the filling began. */
function filling(): fc.Arbitrary<Filling> {
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
    group: fc.constantFrom(...GROUPS, 'empty'),
    includes: fc
      .option(fc.subarray([...CELLS]), { nil: undefined })
      .map((cells) => (cells === undefined ? () => true : (cell: string) => cells.includes(cell as never))),
    lower: fc.option(place, { nil: undefined, freq: 2 }),
    upper: fc.option(place, { nil: undefined, freq: 2 }),
    ascending: fc.boolean(),
    offset: fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 70 })),
  })
}

interface Move {
  readonly item: number
  readonly group: string
  /** The list that the item goes to; undefined where it is deleted. */
  readonly cell: string | undefined
  readonly shard: number
}

/** Items keep to their shard and their group, as a stream has it; each move takes the item out of the list that it was in. */
function batchesOf(
  places: readonly Place[],
  moves: readonly Move[],
  cuts: readonly { readonly size: number; readonly again: number }[],
): readonly Batch[] {
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
  const batches: Batch[] = []
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
