import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { createLapidary, type PageStore, segments, tableFor } from 'lapidary'
import { createTableInput } from 'lapidary/schema'
import { openEngine } from 'lapidary-engine'
import type { BenchContext } from './bench.ts'
import { comments, generateComments, PRODUCT } from './comments.ts'
import { mean, rounded } from './measure.ts'
import type { Random } from './random.ts'
import type { Report, Target } from './report.ts'
import { entryOf, storeComments, TABLE_NAME } from './stored-comments.ts'

const COMMENTS = 12_000
const QUICK_COMMENTS = 3_000
const ERAS = 12
/** Of ten comments of an era nine have its rating. */
const USUAL = 0.9
const PAGES_READ = 60
const PAGE = 20
const FILTERS = [
  [1, 2],
  [2, 3, 5],
  [1, 2, 3, 4],
] as const

/** What reading a page took, its place not counted. */
interface Read {
  readonly rcu: number
  readonly rounds: number
}

/** Of each filter, its pages. */
interface Measured {
  readonly near: readonly (readonly Read[])[]
  readonly far: readonly (readonly Read[])[]
}

/** Pages by number where the mix of ratings changes over time: planned by what the look-up saw near their place, and without. */
export async function pageMix({ random, quick }: BenchContext): Promise<Report> {
  const size = quick ? QUICK_COMMENTS : COMMENTS
  const rows: (string | number)[][] = []
  const targets: Target[] = []
  for (const [mix, eras] of [
    ['changes over time', ERAS],
    ['is the same everywhere', 0],
  ] as const) {
    const { near, far } = await measure(size, eras, random)
    for (const [i, ratings] of FILTERS.entries()) {
      for (const [shares, reads = []] of [
        ['near the place', near[i]],
        ['of whole lists', far[i]],
      ] as const) {
        const rounds = reads.map((read) => read.rounds)
        const figures = [rounded(mean(reads.map(({ rcu }) => rcu)), 2), rounded(mean(rounds), 2), Math.max(...rounds)]
        rows.push([mix, ratings.join(', '), shares, ...figures])
      }
    }
    const [less, more] = [near, far].map((reads) => mean(reads.flat().map(({ rcu }) => rcu))) as [number, number]
    const name = `the mix ${mix}: RCU by shares near the place, of those by whole lists`
    targets.push({ name, value: rounded(less / more, 2), limit: 1, kind: 'at most' })
  }
  const title = `A page of ${PAGE} by its number, among ${size} comments of one product in English; mean of ${PAGES_READ} pages anywhere, the look-up not counted`
  const columns = ['mix of ratings', 'ratings asked for', 'planned by shares', 'RCU', 'rounds', 'most rounds']
  return { tables: [{ title, columns, rows }], targets, figures: { rows } }
}

async function measure(size: number, eras: number, random: Random): Promise<Measured> {
  const engine = await openEngine()
  const client = new DynamoDBClient(engine.clientConfig)
  try {
    const table = createTableInput(tableFor({ tableName: TABLE_NAME, collections: { comments } }))
    await client.send(new CreateTableCommand(table))
    const made = generateComments(size, random).map((each, i) => {
      const ofEra = 1 + (Math.floor((i * eras) / size) % 5)
      return { ...each, language: 'en', ...(eras > 0 && random() < USUAL ? { rating: ofEra } : {}) }
    })
    await storeComments(client, made.map(entryOf))
    const open = (pages: PageStore) =>
      createLapidary({
        ...{ client, tableName: TABLE_NAME, collections: { comments } },
        ...{ cursorSecret: 'a secret that only the bench knows', derived: { counts: true, pages } },
      })
    const [told, untold] = [open(segments()), open(silent(segments()))]
    await told.derived.rebuild('counts')
    await told.derived.rebuildPages()
    const [near, far] = [[], []] as [Read[][], Read[][]]
    for (const rating of FILTERS) {
      const query = { scope: PRODUCT, where: { language: 'en', rating: [...rating] }, limit: PAGE }
      const { page } = await told.comments.page(1_000_000, query)
      const numbers = Array.from({ length: PAGES_READ }, () => 2 + Math.floor(random() * ((page.count ?? 3) - 2)))
      for (const [lapidary, into] of [
        [told, near],
        [untold, far],
      ] as const) {
        const reads: Read[] = []
        for (const number of numbers) {
          const { plan } = await lapidary.comments.page(number, { ...query, counts: false })
          // What is read from the start of the list takes no look-up.
          if (plan.text.includes('LESS THE FIRST') || plan.actual === null) continue
          const { rcu, rounds } = plan.pageIndex ?? { rcu: 0, rounds: 0 }
          reads.push({ rcu: plan.actual.rcu - rcu, rounds: plan.actual.rounds - rounds })
        }
        into.push(reads)
      }
    }
    return { near, far }
  } finally {
    client.destroy()
    await engine.close()
  }
}

/** The same store, whose answers tell of nothing but the place. */
function silent(store: PageStore): PageStore {
  return {
    ...store,
    open(context) {
      const lists = store.open(context)
      return {
        ...lists,
        async select(question) {
          const { near: _, ...answer } = await lists.select(question)
          return answer
        },
      }
    },
  }
}
