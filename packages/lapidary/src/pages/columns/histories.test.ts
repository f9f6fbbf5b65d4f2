import fc from 'fast-check'
import { oneOf } from 'lapidary'
import { chosenSeed } from 'lapidary-testing'
import { expect, test } from 'vitest'
import { type MemoryNodes, type MemoryNodesOptions, memoryNodes } from '../../../test/pages/memory-nodes.ts'
import { type Condition, term } from '../../model/condition.ts'
import { comparePlaces, type Place, placeText } from '../place.ts'
import type { ListChange, ListEntry, ListStep } from '../sorted-lists.ts'
import type { ColumnSizes } from './column-sizes.ts'
import { type OpenColumns, openColumns } from './open-columns.ts'

const seed = chosenSeed(process.env.FC_SEED)
const sleep = async (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
/** So small that blocks are cut, folded and removed all the time. */
const SMALL: ColumnSizes = {
  ...{ blockRows: 4, blockBytes: 1_000, columnBytes: 200, buriedBytes: 60 },
  ...{ deltaBytes: 30, chunkBytes: 40, mostChunks: 5 },
}
const FACETS = ['language', 'rating'].map((name) => ({ name, facet: oneOf() }))
const GROUPS = ['42', '7'] as const

/** Where an item is at a time: nowhere, or in one of some places. */
type Version = ListEntry | undefined

function entryOf(item: number, version: number): ListEntry {
  const id = `i${String(item).padStart(3, '0')}`
  const score = [item - 20, (item * 7) / 4 - 30.5, 20 - item][version % 3] as number
  return {
    group: GROUPS[version % 7 === 3 ? 1 : 0] as string,
    cell: `${['en', 'de', '%~'][version % 3]}#${version % 5}`,
    place: { score, member: id },
  }
}

function stepsFrom(before: Version, now: Version): readonly ListStep[] {
  return [
    ...(before === undefined ? [] : [{ op: 'remove', ...before } as const]),
    ...(now === undefined ? [] : [{ op: 'add', ...now } as const]),
  ]
}

/** Lets others come between reads as chance has it. */
function interleaving(draws: readonly number[]): () => Promise<void> {
  let i = 0
  return async () => {
    for (let left = draws[i++ % Math.max(1, draws.length)] ?? 0; left > 0; left--) await sleep()
  }
}

/** What has happened to items, and what may be seen of them from one moment to another. */
class Truth {
  readonly #versions = new Map<number, { readonly version: Version; readonly from: number; to: number }[]>()
  #now = 0

  get now(): number {
    return this.#now++
  }

  last(item: number): Version {
    return this.#versions.get(item)?.at(-1)?.version
  }

  /** Begins to write a version; the one before is seen until the write is over. */
  begin(item: number, version: Version): void {
    const all = this.#versions.get(item) ?? [{ version: undefined, from: -1, to: Number.POSITIVE_INFINITY }]
    this.#versions.set(item, [...all, { version, from: this.now, to: Number.POSITIVE_INFINITY }])
  }

  end(item: number): void {
    const all = this.#versions.get(item) ?? []
    for (const each of all.slice(0, -1)) if (each.to === Number.POSITIVE_INFINITY) each.to = this.now
  }

  /** The versions of each item that may have been seen between two moments. */
  between(from: number, to: number): readonly (readonly Version[])[] {
    return [...this.#versions.values()].map((all) =>
      all.filter((each) => each.from <= to && each.to >= from).map(({ version }) => version),
    )
  }
}

interface Question {
  readonly group: string
  readonly condition: Condition
  readonly lower: Place | undefined
  readonly upper: Place | undefined
  readonly ascending: boolean
  readonly size: number
  readonly blocks: number | undefined
}

const place = fc.record({
  score: fc.integer({ min: -160, max: 160 }).map((quarters) => quarters / 4),
  member: fc.constantFrom('', 'i010', 'i020\u0000', '~'),
})
const question: fc.Arbitrary<Question> = fc.record({
  group: fc.constantFrom(...GROUPS, '42'),
  condition: fc.constantFrom<Condition>(
    { all: [] },
    term('language', ['en', 'de']),
    { all: [term('language', ['en', null]), term('rating', ['1', '3', '4', '0'])] },
    { not: term('rating', ['2']) },
  ),
  lower: fc.option(place, { nil: undefined }),
  upper: fc.option(place, { nil: undefined }),
  ascending: fc.boolean(),
  size: fc.constantFrom(1, 5, 1_000),
  blocks: fc.constantFrom(undefined, 1, 1, 2),
})

function isAnswer({ group, condition, lower, upper }: Question, entry: Version): entry is ListEntry {
  if (entry === undefined || entry.group !== group) return false
  if (lower !== undefined && comparePlaces(entry.place, lower) < 0) return false
  if (upper !== undefined && comparePlaces(entry.place, upper) >= 0) return false
  const [language, rating] = entry.cell.split('#')
  const holds = (each: Condition): boolean => {
    if ('not' in each) return !holds(each.not)
    if ('all' in each) return each.all.every(holds)
    if ('any' in each) return each.any.some(holds)
    const own = each.facet === 'language' ? language : rating
    return (each.wanted as readonly unknown[]).includes(own === '%~' ? null : own)
  }
  return holds(condition)
}

/** Asks, and requires that of what was there all the time nothing lacks, that nothing else is told than what was, and nothing twice. */
async function requireAnswer(columns: OpenColumns, truth: Truth, asked: Question, isOld: boolean): Promise<void> {
  const from = truth.now
  const { places, total } = await columns.search({ ...asked, offset: 0 })
  const byRating = [{ facet: 'rating', condition: { all: [] } }]
  const counted = await columns.tally({ ...asked, by: byRating, parts: { facets: ['rating'], starts: () => STARTS } })
  const seen = truth.between(isOld ? -1 : from, truth.now)
  const told = JSON.stringify({ asked, places, total, seed })
  const texts = places.map(placeText)
  expect(new Set(texts).size, `twice: ${told}`).toBe(texts.length)
  places.forEach((each, i) => {
    const before = places[i - 1]
    const isInOrder = before === undefined || comparePlaces(before, each) < 0 === asked.ascending
    expect(isInOrder, `out of order: ${told}`).toBe(true)
  })
  const allowed = seen.flatMap((versions) => versions.filter((each) => isAnswer(asked, each)))
  const allowedTexts = new Set(allowed.map((each) => placeText(each.place)))
  expect(
    texts.filter((text) => !allowedTexts.has(text)),
    `never there: ${told}`,
  ).toEqual([])
  const always = seen.flatMap(([only, ...others]) => (others.length === 0 && isAnswer(asked, only) ? [only] : []))
  const end = places.length === asked.size ? places.at(-1) : undefined
  const isReached = ({ place: each }: ListEntry): boolean =>
    end === undefined || comparePlaces(each, end) <= 0 === asked.ascending || comparePlaces(each, end) === 0
  const lacking = always.filter((each) => isReached(each) && !texts.includes(placeText(each.place)))
  expect(lacking, `lacking: ${told}`).toEqual([])
  for (const each of [counted.total, ...(total === undefined ? [] : [total])]) {
    expect(each, `counted: ${told}`).toBeGreaterThanOrEqual(always.length)
    expect(each, `counted: ${told}`).toBeLessThanOrEqual(allowed.length)
  }
  expect(sum(counted.parts.map((part) => part.total))).toBe(counted.total)
  counted.parts.forEach((part, i) => {
    const next = STARTS[i + 1]
    const isInside = ({ place: each }: ListEntry): boolean =>
      comparePlaces(part.start, each) <= 0 && (next === undefined || comparePlaces(each, next) < 0)
    expect(part.total, `part ${i}: ${told}`).toBeGreaterThanOrEqual(always.filter(isInside).length)
    expect(part.total, `part ${i}: ${told}`).toBeLessThanOrEqual(allowed.filter(isInside).length)
    expect(part.entries).toBeGreaterThanOrEqual(part.total)
    expect(sum([...(part.counts[0] ?? []).values()])).toBe(part.total)
  })
}

/** Where parts begin that are counted by themselves: before all, at items, and between them. */
const STARTS = [-1_000, -20, -6.5, 0, 12, 12.25].map((score): Place => ({ score, member: '' }))

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0)
}

function opened(options: MemoryNodesOptions): { nodes: MemoryNodes; open: (isRemembering: boolean) => OpenColumns } {
  const nodes = memoryNodes({ limits: { nodes: 90 }, ...options })
  // Longer than a commit of some nodes takes, as a wait is for DynamoDB.
  const waiting = { random: () => 0.5, sleep: interleaving([20]) }
  return {
    nodes,
    open: (isRemembering) =>
      openColumns(nodes, {
        ...{ namespace: 'T', waiting, clock: () => 0, facets: FACETS, sizes: SMALL },
        ...(isRemembering ? { remembering: nodes.remembering() } : {}),
      }),
  }
}

const pauses = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 40 })
const drawnWriters = fc.array(
  fc.record({
    isRemembering: fc.boolean(),
    batch: fc.integer({ min: 1, max: 8 }),
    /** An item, and its next version; gone where it is above 8. */
    writes: fc.array(fc.tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 11 })), {
      ...{ minLength: 20, maxLength: 60 },
    }),
  }),
  { minLength: 1, maxLength: 4 },
)

const LAST_VERSION = 8

async function requireRest(columns: OpenColumns, truth: Truth): Promise<void> {
  for (const group of GROUPS) {
    await columns.validate(group)
    for (const [blocks, ascending] of [
      [undefined, true],
      [1, false],
      [1, true],
    ] as const) {
      const all = { group, condition: { all: [] }, lower: undefined, upper: undefined, ascending, size: 1_000, blocks }
      await requireAnswer(columns, truth, all, false)
    }
  }
}

for (const [name, isOld] of [
  ['as they are', false],
  ['some of them as they were', true],
] as const) {
  test(`several writers with memories of their own, and readers that see commits in parts, and nodes ${name}`, async () => {
    const drawn = fc.record({
      pauses,
      writers: drawnWriters,
      readers: fc.array(fc.array(question, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 3 }),
      stale: fc.array(fc.boolean(), { minLength: 1, maxLength: 20 }),
    })
    console.info(`histories of columns: FC_SEED=${seed}`)
    await fc.assert(
      fc.asyncProperty(drawn, async ({ pauses, writers, readers, stale }) => {
        let [drawnStale, isAtRest] = [0, false]
        const isStale = (): boolean => isOld && !isAtRest && stale[drawnStale++ % stale.length] === true
        const { open } = opened({ pause: interleaving(pauses), isSeenInParts: true, isStale })
        const truth = new Truth()
        await open(false).create()
        let writing = writers.length
        await Promise.all([
          ...writers.map(async ({ isRemembering, batch, writes }, w) => {
            const columns = open(isRemembering)
            for (let i = 0; i < writes.length; i += batch) {
              const items: number[] = []
              const changes = writes.slice(i, i + batch).map(([n, version], j): ListChange => {
                const item = n * writers.length + w
                items.push(item)
                const now = version > LAST_VERSION ? undefined : entryOf(item, version)
                const steps = stepsFrom(truth.last(item), now)
                truth.begin(item, now)
                return { sequenceNumber: String(1_000 + i + j), steps }
              })
              await columns.apply(`shard-${w}`, changes)
              for (const item of items) truth.end(item)
            }
            writing -= 1
          }),
          ...readers.map(async (questions) => {
            const columns = open(false)
            for (let i = 0; writing > 0; i++) {
              await requireAnswer(columns, truth, questions[i % questions.length] as Question, isOld)
              await sleep()
            }
          }),
        ])
        isAtRest = true
        await requireRest(open(false), truth)
      }),
      { seed, numRuns: 50, endOnFailure: true },
    )
  }, 600_000)
}

test('fillings with changes in between, of which the first ones are killed, come to what the items are', async () => {
  const drawn = fc.record({
    pauses,
    size: fc.integer({ min: 1, max: 120 }),
    chunk: fc.integer({ min: 1, max: 120 }),
    writers: drawnWriters,
    /** After how many chunks each filling but the last is given up. */
    killed: fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 2 }),
  })
  await fc.assert(
    fc.asyncProperty(drawn, async ({ pauses, size, chunk, writers, killed }) => {
      const { open } = opened({ pause: interleaving(pauses), isSeenInParts: true })
      const truth = new Truth()
      for (let item = 0; item < size; item++) {
        truth.begin(item, entryOf(item, item % LAST_VERSION))
        truth.end(item)
      }
      const filler = open(false)
      const writes = writers.map(() => 0)
      const write = async (w: number): Promise<boolean> => {
        const writer = writers[w] as (typeof writers)[number]
        const at = writes[w] as number
        const own = writer.writes.slice(at, at + writer.batch)
        writes[w] = at + own.length
        const changes = own.map(([n, version], j): ListChange => {
          const item = n * writers.length + w
          const now = version > LAST_VERSION ? undefined : entryOf(item, version)
          const steps = stepsFrom(truth.last(item), now)
          truth.begin(item, now)
          return { sequenceNumber: String(1_000 + at + j), steps }
        })
        await open(writer.isRemembering).apply(`shard-${w}`, changes)
        for (const [n] of own) truth.end(n * writers.length + w)
        return own.length > 0
      }
      for (const chunks of [...killed, Number.POSITIVE_INFINITY]) {
        const filling = await filler.fill()
        const scanned = truth.between(truth.now, truth.now).flatMap(([entry]) => (entry === undefined ? [] : [entry]))
        let isOver = false
        await Promise.all([
          (async () => {
            for (let i = 0; i < scanned.length && i / chunk < chunks; i += chunk) {
              await filling.add(scanned.slice(i, i + chunk))
            }
            isOver = true
          })(),
          ...writers.map(async (_, w) => {
            while (!isOver && (await write(w))) await sleep()
          }),
        ])
        if (chunks === Number.POSITIVE_INFINITY) await filling.finish()
      }
      for (const w of writers.keys()) while (await write(w));
      await requireRest(open(false), truth)
    }),
    { seed, numRuns: 50, endOnFailure: true },
  )
}, 600_000)
