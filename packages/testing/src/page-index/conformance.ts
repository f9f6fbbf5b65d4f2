import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { ListChange, ListEntry, ListStep, ListsInspection, Place, RankQuestion, SortedLists } from 'lapidary'
import type { TestFunctions } from '../conformance/options.ts'
import { CELLS, filling, GROUPS, history } from './histories.ts'
import { memoryLists } from './memory-lists.ts'

/** Options of the suite. */
export interface SortedListsConformanceOptions extends TestFunctions {
  readonly name: string
  /** Opens a store with no lists in it. */
  readonly open: () => Promise<SortedLists>
  /** The seed of the histories; a random one when not given. */
  readonly seed?: number
  /** Histories; 20 when not given. */
  readonly runs?: number
  /** The most entries of the lists that grow and shrink: some thousands, in hundreds. 3,000 when not given. */
  readonly most?: number
  /** Milliseconds after which a test that hangs fails. */
  readonly timeout?: number
}

/**
 * Tests that each answer of a store is that of the naive filter, sort and slice, after inserts in order and far out of order, removals, moves
 * between lists, ties and changes that come twice; and that its structure is sound after each batch. Every store of sorted lists has to pass.
 *
 * @example
 * ```ts
 * import { describe, it } from 'vitest'
 *
 * describeSortedListsConformance({ name: 'memory', describe, it, open: async () => memoryLists() })
 * ```
 */
export function describeSortedListsConformance(options: SortedListsConformanceOptions): void {
  const { name, describe, it, open, seed, runs = 20, most = 3_000, timeout = 300_000 } = options
  const drawn = { numRuns: runs, ...(seed === undefined ? {} : { seed }) }
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
                await assertSound(lists, truth, questions)
              }
            } finally {
              await lists.close()
            }
          }),
          drawn,
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
        assert.deepEqual(await listEntries(lists, ['en#5', 'en#4']), [[], [first]])
        await lists.apply('shard', [deleted])
        await lists.apply('shard', [added, moved])
        assert.deepEqual(await listEntries(lists, ['en#5', 'en#4']), [[], []])
        await lists.apply('another', [{ ...added, steps: [{ op: 'add', group: '42', cell: 'en#5', place: second }] }])
        assert.deepEqual(await listEntries(lists, ['en#5', 'en#4']), [[second], []])
        await lists.close()
      },
      timeout,
    )

    it(
      'say when the newest change was made that is in, where they keep that',
      async () => {
        const [lists] = await opened(open)
        const asOf = async (): Promise<number | undefined> => (await lists.select(WHOLE)).asOf
        assert.equal(await asOf(), undefined)
        const made = (sequenceNumber: string, at: number): ListChange => {
          const place = { score: at, member: 'a' }
          return { sequenceNumber, at, steps: [{ op: 'add', group: '42', cell: 'en#5', place }] }
        }
        await lists.apply('shard', [made('1', 5_000), made('2', 6_000)])
        const newest = await asOf()
        assert.equal(newest ?? 6_000, 6_000)
        await lists.apply('behind', [made('1', 4_000)])
        assert.equal(await asOf(), newest)
        await lists.close()
      },
      timeout,
    )

    it(
      'show every entry to who compares them with the items',
      async () => {
        const [lists, truth] = await opened(open)
        if (lists.inspect === undefined) return lists.close()
        // One list has more entries than the store reads at once.
        const steps = Array.from({ length: 1_300 }, (_, i): ListStep => {
          // Many fractions are not the sum of other doubles.
          const place = { score: (i % 90) + 0.1, member: `m${i}` }
          return { op: 'add', group: '42', cell: CELLS[i % 10 === 0 ? 1 + (i % 3) : 0] as string, place }
        })
        const changes = steps.map((step, i) => ({ sequenceNumber: String(1_000 + i), steps: [step] }))
        for (const each of [lists, truth]) await each.apply('shard', changes)
        const [own, naive] = [await lists.inspect(), await truth.inspect?.()]
        assert.deepEqual(await shownBy(own, '42'), await shownBy(naive, '42'))
        assert.deepEqual(await shownBy(own, 'empty'), [])
        for (const { place, cell } of steps.slice(0, 20)) assert.equal(await own.cellAt('42', place), cell)
        assert.equal(await own.cellAt('42', { score: 3, member: 'none' }), undefined)
        assert.equal(await own.cellAt('empty', { score: 3, member: 'm3' }), undefined)
        for await (const group of own.groups()) assert.equal(group, '42')
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
        assert.deepEqual(await listEntries(lists, ['en#5', 'en#4']), [[still.place], [moved.place]])
        // A removed entry may come again later.
        await lists.apply('shard', [{ sequenceNumber: '3', steps: [{ op: 'add', ...gone }] }])
        assert.deepEqual(await listEntries(lists, ['en#5']), [[gone.place, still.place]])
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
                // The scan may have seen an item older or newer than what the lists have taken in by then.
                await filling.add(seen[i] ?? [])
                for (const each of [lists, truth]) await each.apply(shardId, changes)
              }
              await filling.finish()
              assert.equal(await lists.state(), 'ready')
              await assertSound(lists, truth, questions)
              for (const { shardId, changes } of history.later) {
                for (const each of [lists, truth]) await each.apply(shardId, changes)
              }
              await assertSound(lists, truth, questions)
            } finally {
              await lists.close()
            }
          }),
          drawn,
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
          ...{ op, group: i % 4 === 1 ? GROUPS[1] : '42', cell: CELLS[i % 3] as string },
          place: { score: 1_600_000_000_000 + i * 1_000, member: `comment-${i}`.padEnd(64, '.') },
        })
        for (let i = 0; i < most; i += 100) {
          await both(
            Array.from({ length: 100 }, (_, j) => stepOf('add', i + j)),
            i,
          )
        }
        for (const group of GROUPS) await lists.validate(group)
        for (const offset of [0, 19, 500, most - 1_001, most - 1_000, most - 1, most]) {
          for (const ascending of [true, false]) {
            await assertAnswers(lists, truth, [
              { ...WHOLE, groups: GROUPS, ascending, offset },
              { ...WHOLE, ascending, offset: Math.floor(offset * 0.75) },
              { ...WHOLE, includes: (cell) => cell === 'en#4', ascending, offset },
            ])
          }
        }
        const leaving = Array.from({ length: most }, (_, i) => i).filter((i) => i % 50 !== 7)
        for (let i = 0; i < leaving.length; i += 100) {
          await both(
            leaving.slice(i, i + 100).map((n) => stepOf('remove', n)),
            most + i,
          )
        }
        for (const group of GROUPS) await lists.validate(group)
        await assertAnswers(
          lists,
          truth,
          [0, 30, most / 50 - 1, most / 50].flatMap((offset) => [
            { ...WHOLE, offset },
            { ...WHOLE, groups: GROUPS, offset },
          ]),
        )
        await lists.close()
      },
      timeout,
    )
  })
}

const WHOLE: RankQuestion = {
  ...{ groups: ['42'], includes: () => true, lower: undefined, upper: undefined },
  ...{ ascending: false, offset: 0 },
}

async function opened(open: () => Promise<SortedLists>): Promise<readonly [lists: SortedLists, truth: SortedLists]> {
  const both = [await open(), memoryLists()] as const
  for (const lists of both) await lists.create()
  return both
}

/** Collects every entry that an inspection shows, in an order of its own. */
async function shownBy(inspection: ListsInspection | undefined, group: string): Promise<readonly string[]> {
  const shown: string[] = []
  for await (const entries of inspection?.entries(group) ?? []) {
    shown.push(...entries.map(({ cell, place }) => JSON.stringify([cell, place.score, place.member])))
  }
  return shown.sort()
}

/** Returns the entries of each list, in ascending order. */
async function listEntries(lists: SortedLists, cells: readonly string[]): Promise<readonly (readonly Place[])[]> {
  return Promise.all(
    cells.map(async (cell) => {
      const entries: Place[] = []
      const question = { groups: ['42'], includes: (each: string) => each === cell, lower: undefined, upper: undefined }
      for (let offset = 0; ; offset++) {
        const { place } = await lists.select({ ...question, ascending: true, offset })
        if (place === undefined) return entries
        entries.push(place)
      }
    }),
  )
}

/** Asserts that the structure holds, and that it answers as the naive lists do. */
async function assertSound(lists: SortedLists, truth: SortedLists, questions: readonly RankQuestion[]): Promise<void> {
  for (const group of GROUPS) await lists.validate(group)
  await assertAnswers(lists, truth, questions)
}

async function assertAnswers(
  lists: SortedLists,
  truth: SortedLists,
  questions: readonly RankQuestion[],
): Promise<void> {
  for (const question of questions) {
    const [{ total, place, near }, expected] = await Promise.all([lists.select(question), truth.select(question)])
    assert.deepEqual({ total, place }, { total: expected.total, place: expected.place }, shownQuestion(question))
    if (near === undefined) continue
    // A store may return fewer neighbours than asked for, since it reads none just for them.
    assert.deepEqual(near, expected.near?.slice(0, near.length), shownQuestion(question))
    assert.ok(near.length === 0 || question.includes(near.at(-1) ?? ''), shownQuestion(question))
  }
}

function shownQuestion({ includes, ...question }: RankQuestion): string {
  return JSON.stringify({ ...question, cells: CELLS.filter(includes) })
}
