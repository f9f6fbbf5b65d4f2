import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb'
import { createLapidary, type ListEntry, type SortedLists, segments } from 'lapidary'
import { openEngine } from 'lapidary-engine'
import type { BenchContext } from './bench.ts'
import { comments, generateComments, PRODUCT } from './comments.ts'
import { mean, rounded } from './measure.ts'
import { anywhere, countTreeUnits, lifelike, newest, type TreeChanges, type TreeUnits } from './page-changes.ts'
import type { Random } from './random.ts'
import type { Report } from './report.ts'
import { entryOf, storeComments, TABLE_NAME } from './stored-comments.ts'

const SIZES = [10_000, 100_000, 1_000_000]
const QUICK_SIZES = [1_000, 10_000]
const FILLED_AT_ONCE = 50_000
/** Comments are stored only up to here: what reading a list takes does not depend on its length, see the bench `depth`. */
const MOST_STORED = 10_000
const LOOK_UPS = 200
const PAGES_READ = 50
const CHANGES = 1_000
const BATCH = 25
const PAGE = 20
/** Five lists: one language, and each rating. */
const WHERE = { language: 'en', rating: [1, 2, 3, 4, 5] } as const
const isAsked = (cell: string): boolean => cell.startsWith('en#')

interface Measured {
  readonly size: number
  /** RCU of look-ups of pages anywhere. */
  readonly rcu: readonly number[]
  readonly rounds: number
  readonly bytes: number
  /** Of filling the index with the comments in order. */
  readonly filled: { readonly perSecond: number; readonly units: number; readonly processorMs: number }
  /** Look-ups by what the index expected of them. */
  readonly asExpected: number
  /** Of the list of a page, where comments are stored. */
  readonly list: { readonly rcu: number; readonly rounds: number } | undefined
  /** Write units a change. */
  readonly units: { readonly newest: number; readonly lifelike: number; readonly anywhere: number }
}

/** What a page by number takes at any depth, and what keeping the page index takes for each change. */
export async function pageNumbers({ random, quick }: BenchContext): Promise<Report> {
  const measured: Measured[] = []
  for (const size of quick ? QUICK_SIZES : SIZES) measured.push(await measure(size, random))
  const [least, most] = [measured[0], measured.at(-1)] as [Measured, Measured]
  const list = least.list ?? { rcu: 0, rounds: 0 }
  const whole = ({ rcu }: Measured): number => mean(rcu) + list.rcu
  return {
    tables: [
      {
        title: `A page of ${PAGE} by its number, five lists of one product merged; mean of ${LOOK_UPS} pages anywhere`,
        columns: ['comments', 'look-up, RCU', 'most', 'rounds', 'with the list, RCU', 'rounds', 'bytes a comment'],
        rows: measured.map((each) => [
          each.size,
          rounded(mean(each.rcu), 1),
          Math.max(...each.rcu),
          each.rounds,
          rounded(whole(each), 1),
          each.rounds + list.rounds,
          rounded(each.bytes, 0),
        ]),
      },
      {
        title: `Filling the page index with the comments of one product in order, ${FILLED_AT_ONCE} at once`,
        columns: ['comments', 'a second', 'write units a comment', 'processor of the process, ms a thousand'],
        rows: measured.map(({ size, filled }) => [
          size,
          rounded(filled.perSecond, 0),
          rounded(filled.units, 3),
          rounded(filled.processorMs * 1_000, 1),
        ]),
      },
      {
        title: `Write units for the page index, a change of one product, in batches of ${BATCH}`,
        columns: ['comments', 'newest only', 'nine in ten newest, others edited or deleted', 'anywhere'],
        rows: measured.map(({ size, units }) => [
          size,
          rounded(units.newest, 2),
          rounded(units.lifelike, 2),
          rounded(units.anywhere, 2),
        ]),
      },
    ],
    targets: [
      { name: `RCU of a page of ${most.size}, mean`, value: whole(most), limit: 30, kind: 'at most' },
      { name: `RCU of a look-up among ${most.size}, mean`, value: mean(most.rcu), limit: 7, kind: 'at most' },
      { name: 'rounds of a page', value: most.rounds + list.rounds, limit: 4, kind: 'at most' },
      {
        name: `look-up used over expected, ${most.size}, at least`,
        value: most.asExpected,
        limit: 0.9,
        kind: 'at least',
      },
      {
        name: `look-up used over expected, ${most.size}, at most`,
        value: most.asExpected,
        limit: 1.1,
        kind: 'at most',
      },
      { name: 'write units a comment that is filled in order', value: most.filled.units, limit: 0.1, kind: 'at most' },
      { name: `RCU at ${most.size} over ${least.size}`, value: whole(most) / whole(least), limit: 2, kind: 'at most' },
      { name: 'write units a change, nine in ten newest', value: most.units.lifelike, limit: 3, kind: 'at most' },
    ],
    figures: measured.map(({ rcu, ...others }) => ({ ...others, rcu: mean(rcu), mostRcu: Math.max(...rcu) })),
  }
}

async function measure(size: number, random: Random): Promise<Measured> {
  const engine = await openEngine()
  const client = new DynamoDBClient(engine.clientConfig)
  try {
    const lapidary = createLapidary({
      ...{ client, tableName: TABLE_NAME, collections: { comments } },
      cursorSecret: 'a secret that only the bench knows',
      derived: { pages: segments() },
    })
    await lapidary.table.create()
    const [pages] = lapidary.comments.context.pages
    if (pages === undefined) throw new Error('there is no page index')
    const written = countTreeUnits(client)
    const made = generateComments(size, random).map(entryOf)
    const isStored = size <= MOST_STORED
    if (isStored) {
      await storeComments(client, made)
      // A page is asked of an index that the table knows to be complete.
      await lapidary.derived.rebuildPages()
    }
    const entries = made.flatMap((entry) => pages.entriesOf(entry))
    const others = await treeBytes(client)
    const filled = await fill(pages.lists, written, entries)
    const bytes = ((await treeBytes(client)) - others) / size

    const total = entries.filter(({ cell }) => isAsked(cell)).length
    const rcu: number[] = []
    const expected: number[] = []
    let rounds = 0
    for (let i = 0; i < LOOK_UPS; i++) {
      const offset = Math.floor(random() * total)
      const question = {
        groups: [PRODUCT],
        includes: isAsked,
        lower: undefined,
        upper: undefined,
        ascending: false,
        offset,
      }
      const answer = await pages.lists.select(question)
      if (answer.place === undefined || answer.total !== total) throw new Error(`wrong answer at ${offset}`)
      rcu.push(answer.rcu)
      const shape = { group: PRODUCT, among: 1, entries: size, bounds: 0, entry: true }
      expected.push(pages.lists.price?.(shape).rcu ?? 0)
      rounds = Math.max(rounds, answer.rounds)
    }
    const read: { readonly rcu: number; readonly rounds: number }[] = []
    for (let i = 0; isStored && i < PAGES_READ; i++) {
      const number = 2 + Math.floor(random() * (total / PAGE - 2))
      const { actual } = (await lapidary.comments.page(number, { scope: PRODUCT, where: WHERE, limit: PAGE })).plan
      if (actual !== null) read.push(actual)
    }
    const list = isStored
      ? { rcu: mean(read.map((each) => each.rcu)), rounds: mean(read.map((each) => each.rounds)) }
      : undefined
    const units = {
      newest: await unitsOf(pages.lists, written, newest(entries, CHANGES)),
      lifelike: await unitsOf(pages.lists, written, lifelike(entries, CHANGES, random)),
      anywhere: await unitsOf(pages.lists, written, anywhere(entries, CHANGES, random)),
    }
    return { size, rcu, rounds, bytes, filled, asExpected: mean(rcu) / mean(expected), list, units }
  } finally {
    client.destroy()
    await engine.close()
  }
}

async function fill(
  lists: SortedLists,
  written: TreeUnits,
  entries: readonly ListEntry[],
): Promise<Measured['filled']> {
  const [before, startedAt, used] = [written.units, performance.now(), process.cpuUsage()]
  const filling = await lists.fill()
  for (let i = 0; i < entries.length; i += FILLED_AT_ONCE) await filling.add(entries.slice(i, i + FILLED_AT_ONCE))
  await filling.finish()
  const seconds = (performance.now() - startedAt) / 1_000
  const { user, system } = process.cpuUsage(used)
  const count = entries.length
  return {
    perSecond: count / seconds,
    units: (written.units - before) / count,
    processorMs: (user + system) / 1_000 / count,
  }
}

async function unitsOf(lists: SortedLists, written: TreeUnits, { shardId, changes }: TreeChanges): Promise<number> {
  const before = written.units
  for (let i = 0; i < changes.length; i += BATCH) await lists.apply(shardId, changes.slice(i, i + BATCH))
  return (written.units - before) / changes.length
}

/** What the page index has in the table. */
export async function treeBytes(client: DynamoDBClient): Promise<number> {
  let bytes = 0
  for await (const { Items = [] } of paginateScan({ client }, { TableName: TABLE_NAME })) {
    for (const { PK, SK, ...others } of Items) {
      if (PK?.S?.startsWith('~pages#') !== true) continue
      bytes += PK.S.length + (SK?.S?.length ?? 0) + 4
      for (const [name, { B, N, S, L = [] }] of Object.entries(others)) {
        bytes += name.length + (B?.byteLength ?? 0) + (N ?? '').length + (S ?? '').length + L.length * 8
      }
    }
  }
  return bytes
}
