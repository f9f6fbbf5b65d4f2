import { unmarshall } from '@aws-sdk/util-dynamodb'
import type { BenchContext, StoredComments } from './bench.ts'
import { PRODUCT } from './comments.ts'
import { median, quantile, rounded, timed } from './measure.ts'
import { exactLists, listQuery, wideList } from './plain-sdk.ts'
import type { RatingFilter } from './rating-filters.ts'
import type { Report } from './report.ts'

const PAGE = 20
const WARM_UP = 300

interface Contest {
  readonly name: string
  readonly limit: number
  /** Each reads the page after the one it read before, and from the end starts over. */
  readonly library: () => Promise<unknown>
  readonly plain: () => Promise<unknown>
}

/**
 * Wall time of a page through the library over the same Queries by the plain SDK, items unmarshalled, by turns in the same
 * run, so that whatever else the machine does weighs on both.
 */
export async function latency({ quick, stored }: BenchContext): Promise<Report> {
  const table = await stored()
  const turns = quick ? 200 : 3_000
  const contests = [singleList(table), await mergeOfThree(table)]
  const results = []
  for (const contest of contests) results.push({ contest, ...(await compare(contest, turns)) })
  return {
    tables: [
      {
        title: `Wall time of a page of ${PAGE}, ${turns} turns`,
        columns: ['page', 'library p50', 'plain p50', 'library p95', 'plain p95', 'ratio of the medians'],
        rows: results.map(({ contest, library, plain, ratio }) => [
          contest.name,
          `${library.p50} ms`,
          `${plain.p50} ms`,
          `${library.p95} ms`,
          `${plain.p95} ms`,
          rounded(ratio, 3),
        ]),
      },
    ],
    targets: results.map(({ contest, ratio }) => ({
      name: `${contest.name}, library over plain SDK`,
      value: ratio,
      limit: contest.limit,
      kind: 'at most',
    })),
    figures: results.map(({ contest, ...figures }) => ({ name: contest.name, ...figures })),
  }
}

function singleList({ client, lapidary }: StoredComments): Contest {
  return {
    name: 'one list',
    limit: 1.1,
    library: walk(async (cursor: string | undefined) => {
      const page = await lapidary.comments.list({ scope: PRODUCT, where: { language: 'en' }, limit: PAGE, cursor })
      return page.cursors.next ?? undefined
    }),
    plain: walk(async (before: string | undefined) => {
      const items = unmarshalled(await client.send(listQuery({ ...wideList('en'), before, limit: PAGE + 1 })))
      return items.length > PAGE ? String(items[PAGE - 1]?.s) : undefined
    }),
  }
}

/** Three lists of the sizes that the library's plan reads. */
async function mergeOfThree({ client, lapidary }: StoredComments): Promise<Contest> {
  const filter: RatingFilter = { name: 'en/2.3.5', language: 'en', ratings: [2, 3, 5], share: 0 }
  const query = { scope: PRODUCT, where: { language: 'en', rating: [2, 3, 5] }, limit: PAGE } as const
  const { root } = await lapidary.comments.plan(query)
  if (root.kind !== 'limit' || root.input.kind !== 'merge' || root.input.inputs.length !== 3) {
    throw new Error('the plan is not a merge of three lists')
  }
  const sizes = root.input.inputs.map((input) => (input.kind === 'source' ? input.fetch : 0))
  return {
    name: 'a merge of three lists',
    limit: 1.15,
    library: walk(async (cursor: string | undefined) => {
      const page = await lapidary.comments.list({ ...query, cursor })
      return page.cursors.next ?? undefined
    }),
    plain: walk(async (before: string | undefined) => {
      const queries = exactLists(filter).map((list, i) => listQuery({ ...list, before, limit: sizes[i] ?? 0 }))
      const outputs = await Promise.all(queries.map((command) => client.send(command)))
      const items = outputs.flatMap(unmarshalled).sort((a, b) => (String(a.s) < String(b.s) ? 1 : -1))
      return items.length > PAGE ? String(items[PAGE - 1]?.s) : undefined
    }),
  }
}

/** Calls with what the call before gave. */
function walk(read: (from: string | undefined) => Promise<string | undefined>): () => Promise<void> {
  let from: string | undefined
  return async () => {
    from = await read(from)
  }
}

function unmarshalled({ Items = [] }: { readonly Items?: Parameters<typeof unmarshall>[0][] | undefined }) {
  return Items.map((item) => unmarshall(item))
}

async function compare({ library, plain }: Contest, turns: number) {
  const taken = { library: [] as number[], plain: [] as number[] }
  for (let turn = -WARM_UP; turn < turns; turn++) {
    const order = turn % 2 === 0 ? (['library', 'plain'] as const) : (['plain', 'library'] as const)
    for (const way of order) {
      const { ms } = await timed(way === 'library' ? library : plain)
      if (turn >= 0) taken[way].push(ms)
    }
  }
  const figures = (values: readonly number[]) => ({
    p50: rounded(median(values), 2),
    p95: rounded(quantile(values, 0.95), 2),
  })
  return {
    library: figures(taken.library),
    plain: figures(taken.plain),
    ratio: median(taken.library) / median(taken.plain),
  }
}
