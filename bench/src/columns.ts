import { type AttributeValue, DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { anyOf, type Change, createLapidary, defineCollection, parseQuery, type QueryInput } from 'lapidary'
import { importItems } from 'lapidary/transfer'
import { openEngine } from 'lapidary-engine'
import { z } from 'zod'
import type { BenchContext } from './bench.ts'
import { columnsData, columnsFilter, FACETS, MIXES, type Mix } from './columns-data.ts'
import { mean, rounded } from './measure.ts'
import { countTreeUnits } from './page-changes.ts'
import { type Random, seededRandom } from './random.ts'
import type { Report } from './report.ts'

const SIZES = [10_000, 100_000, 1_000_000] as const
const QUICK_SIZES = [10_000] as const
/** Of more items only those are written that some page shows: nothing else reads the others. */
const ALL_WRITTEN_UP_TO = 10_000
const ALL_MIXES_UP_TO = 100_000
const FILLED_AT_ONCE = 50_000
const NARROWED = [3, 5, 8] as const
const CHANGES = 500
const BATCH = 25
const SCOPE = 'north'
const PAD = 'x'.repeat(330)
const PAGE = 20

const FACET_NAMES = ['f0', 'f1', 'f2', 'f3', 'f4', 'f5', 'f6', 'f7', 'f8', 'f9'] as const
const [text, facet] = [z.string(), anyOf('string', { counted: false })]
const listings = defineCollection({
  name: 'LISTING',
  schema: z.object({
    ...{ id: z.string(), region: z.string(), listedAt: z.string(), text: z.string() },
    ...{ f0: text, f1: text, f2: text, f3: text, f4: text, f5: text, f6: text, f7: text, f8: text, f9: text },
  }),
  id: 'id',
  scope: { name: 'REGION', attribute: 'region' },
  order: 'listedAt',
  facets: {
    ...{ f0: facet, f1: facet, f2: facet, f3: facet, f4: facet, f5: facet, f6: facet, f7: facet, f8: facet, f9: facet },
  },
  indexes: { all: {} },
})
type Listing = { readonly id: string; readonly region: string; readonly listedAt: string; readonly text: string }

const opened = (client: DynamoDBClient) =>
  createLapidary({
    ...{ client, tableName: 'listings', collections: { listings } },
    ...{ cursorSecret: 'a secret that only the bench knows', derived: { counts: true, columns: true } },
    stream: { immediate: true },
  })
type Opened = ReturnType<typeof opened>

/** Shows what pages and counts by columns take of ten facets, what was expected, and what changes and filling write. */
export async function columns({ quick }: BenchContext): Promise<Report> {
  const filters = quick ? 20 : 100
  const reads: (string | number)[][] = []
  const writes: (string | number)[][] = []
  for (const items of quick ? QUICK_SIZES : SIZES) {
    // Another mix of a million takes a quarter of an hour more.
    for (const mix of items > ALL_MIXES_UP_TO ? MIXES.slice(0, 1) : MIXES) {
      const found = await measure(items, mix, filters)
      reads.push(...found.reads)
      writes.push(found.writes)
    }
  }
  return {
    tables: [
      {
        title: `Pages of ${PAGE} and exact counts by columns, ${FACETS.length} facets of 2 to 100 values, items of 500 bytes`,
        columns: [
          ...['items', 'mix', 'narrowed', 'page, RCU', 'rounds', 'used / expected', 'by columns', 'exact count, RCU'],
          'all and a filter, RCU expected',
        ],
        rows: reads,
      },
      {
        title: `Write units: filling, and a change in batches of ${BATCH}`,
        columns: ['items', 'mix', 'filling, WCU an item', 'newest end', 'another value', 'anywhere'],
        rows: writes,
      },
    ],
    targets: [],
    figures: { reads, writes },
  }
}

async function measure(items: number, mix: Mix, filters: number) {
  const engine = await openEngine()
  const client = new DynamoDBClient(engine.clientConfig)
  try {
    const lapidary = opened(client)
    await lapidary.table.create({ pages: 'later' })
    const random = seededRandom(items + MIXES.indexOf(mix))
    const data = columnsData(items, mix, random)
    const at = (row: number): Listing => listingAt(row, data, row)
    const isWritten = items <= ALL_WRITTEN_UP_TO
    await importItems(lapidary.listings, generated(isWritten ? items : 1, at) as never, {})
    const written = countTreeUnits(client)
    await lapidary.derived.rebuild('all', { idleMs: 1, poll: !isWritten })
    if (!isWritten) await fillColumns(lapidary, client, items, at)
    const filling = rounded(written.units / items)
    const show = isWritten ? undefined : showing(lapidary, items, at)
    const reads = []
    for (const narrowed of NARROWED) {
      const figures = await readsOf(lapidary, narrowed, filters, show)
      reads.push([items, mix, narrowed, ...figures])
    }
    const writes = [items, mix, filling, ...(await changesOf(lapidary, { data, items, at, written, random }))]
    return { reads, writes }
  } finally {
    client.destroy()
    await engine.close()
  }
}

/** Fills the columns as a scan of all items would, and multiplies the counts of the one that was written. */
async function fillColumns(
  { listings: { context }, table }: Opened,
  client: DynamoDBClient,
  items: number,
  at: (row: number) => Listing,
): Promise<void> {
  const { index } = context.columns ?? {}
  if (index === undefined) throw new Error('there are no columns')
  const filling = await index.lists.fill()
  for (let from = 0; from < items; from += FILLED_AT_ONCE) {
    const some = Array.from({ length: Math.min(FILLED_AT_ONCE, items - from) }, (_, i) =>
      imageOf(context, at(from + i)),
    )
    await filling.add(some.flatMap((image) => index.entriesOf(image)))
  }
  await filling.finish()
  const { tableName: TableName } = table.definition()
  const { Items = [] } = await client.send(new ScanCommand({ TableName }))
  for (const { PK, SK, asOf, ...counted } of Items) {
    if (PK?.S?.startsWith('~counts') !== true) continue
    const all = Object.entries(counted).map(([name, value]) => {
      return [name, value.N === undefined ? value : { N: String(Number(value.N) * items) }]
    })
    const Item = { PK, SK, ...(asOf && { asOf }), ...Object.fromEntries(all) } as Record<string, AttributeValue>
    await client.send(new PutItemCommand({ TableName, Item }))
  }
}

/** Writes the items that a page is going to show. */
function showing(
  { listings }: Opened,
  items: number,
  at: (row: number) => Listing,
): (query: QueryInput) => Promise<void> {
  const rows = new Map(Array.from({ length: items }, (_, row) => [at(row).id, row]))
  const written = new Set<string>()
  return async (query) => {
    const { index } = listings.context.columns ?? {}
    const asked = parseQuery(listings.context.collection, query)
    const range = { lower: undefined, upper: undefined }
    const first = { range, ascending: false, offset: 0, size: PAGE + 1, blocks: 1, mostRcu: Number.POSITIVE_INFINITY }
    for (const { id } of (await index?.find(asked, first))?.items ?? []) {
      if (!written.has(id)) await listings.create(at(rows.get(id) as number) as never)
      written.add(id)
    }
  }
}

function* generated(items: number, at: (row: number) => Listing): Iterable<Listing> {
  for (let row = 0; row < items; row++) yield at(row)
}

/** @param values The row whose values it has. */
function listingAt(row: number, data: readonly Uint8Array[], values: number): Listing {
  return {
    ...{ id: `l${((row * 2_654_435_761) % 2 ** 32).toString(36)}`, region: SCOPE, text: PAD },
    listedAt: new Date(Date.UTC(2024, 0, 1) + row * 61_007).toISOString(),
    ...Object.fromEntries(FACET_NAMES.map((name, i) => [name, `v${data[i]?.[values]}`])),
  }
}

interface Figures {
  readonly rcu: number
  readonly rounds: number
  readonly expected: number
  readonly byColumns: number
  readonly count: number
  readonly all: number
}

/** @param show Called with each query before it is asked. */
async function readsOf(
  { listings: reader }: Opened,
  narrowed: number,
  filters: number,
  show?: (query: QueryInput) => Promise<void>,
): Promise<readonly number[]> {
  const random = seededRandom(narrowed * 1_000)
  const figures: Figures[] = []
  for (let i = 0; i < filters; i++) {
    const where = Object.fromEntries(
      [...columnsFilter(narrowed, random)].map(([facet, values]) => [`f${facet}`, [...values].map((v) => `v${v}`)]),
    )
    const query = { scope: SCOPE, where, limit: PAGE } as QueryInput
    await show?.(query)
    const { plan } = await reader.list({ ...query, counts: false } as never)
    const counted = await reader.count({ scope: SCOPE, where } as never)
    const others = plan.rejected.find(({ text }) => text.startsWith('all['))
    const isByColumns = plan.text.startsWith('COLUMNS')
    figures.push({
      ...{ rcu: plan.actual?.rcu ?? 0, rounds: plan.actual?.rounds ?? 0, expected: plan.estimated.rcu },
      ...{
        byColumns: Number(isByColumns),
        count: counted.rcu,
        all: isByColumns ? (others?.rcu ?? 0) : plan.estimated.rcu,
      },
    })
  }
  const means = (of: (figure: Figures) => number): number => mean(figures.map(of))
  return [
    rounded(
      means(({ rcu }) => rcu),
      1,
    ),
    rounded(
      means(({ rounds }) => rounds),
      2,
    ),
    rounded(means(({ rcu }) => rcu) / means(({ expected }) => expected), 2),
    rounded(
      means(({ byColumns }) => byColumns),
      2,
    ),
    rounded(
      means(({ count }) => count),
      1,
    ),
    rounded(
      means(({ all }) => all),
      0,
    ),
  ]
}

function imageOf({ codec }: Opened['listings']['context'], listing: Listing): NonNullable<Change['after']> {
  return { ...codec.toEntry(listing as never), PK: { S: `LISTING#${listing.id}` }, SK: { S: '~' } }
}

interface Changing {
  readonly data: readonly Uint8Array[]
  readonly items: number
  readonly at: (row: number) => Listing
  readonly written: { readonly units: number }
  readonly random: Random
}

async function changesOf(
  { listings: { context } }: Opened,
  { data, items, at, written, random }: Changing,
): Promise<readonly number[]> {
  const index = context.columns?.index
  if (index === undefined) throw new Error('there are no columns')
  const unitsOf = async (shardId: string, change: (i: number) => Pick<Change, 'before' | 'after'>): Promise<number> => {
    const before = written.units
    for (let i = 0; i < CHANGES; i += BATCH) {
      const batch = Array.from({ length: BATCH }, (_, j): Change => {
        const key = { PK: 'LISTING#', SK: '~' }
        return { key, sequenceNumber: String(1e9 + i + j), at: 0, ...change(i + j) }
      })
      await index.projection.apply?.(batch, { shardId })
    }
    return rounded((written.units - before) / CHANGES, 2)
  }
  const row = (): number => Math.floor(random() * items)
  return [
    await unitsOf('newest', (i) => ({ before: undefined, after: imageOf(context, listingAt(items + i, data, row())) })),
    await unitsOf('value', () => {
      const listing = at(row())
      return {
        before: imageOf(context, listing),
        after: imageOf(context, { ...listing, f2: `v${Math.floor(random() * 4)}` } as Listing),
      }
    }),
    await unitsOf('anywhere', (i) => {
      const listing = at(row())
      return { before: undefined, after: imageOf(context, { ...listing, id: `any-${i}` }) }
    }),
  ]
}
