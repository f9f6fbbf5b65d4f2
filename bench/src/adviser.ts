import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  type Collection,
  indexes,
  LapidaryError,
  type Layout,
  nativeKeys,
  type PagesDeclaration,
  pageMarkers,
  powerSet,
  segments,
} from 'lapidary'
import { deflated, packed, trainDictionary } from 'lapidary/codecs'
import { advise, type PricedLayout, priceLayout } from 'lapidary-adviser'
import { openEngine } from 'lapidary-engine'
import { startDynamoDbLocal } from '../../test/engines/dynamodb-local.ts'
import { DOMAINS, type Domain } from './adviser/domains.ts'
import { type Extent, measuredLoad, scenarioOf } from './adviser/measured-load.ts'
import { type MeasuredPages, measuredPages, type PageLoad } from './adviser/measured-pages.ts'
import { randomWorkload } from './adviser/random-workload.ts'
import type { WorkloadCase } from './adviser/workload-case.ts'
import type { BenchContext } from './bench.ts'
import { mean, rounded } from './measure.ts'
import { seededRandom } from './random.ts'
import type { FigureTable, Report, Target } from './report.ts'

/** The expected units, and those that an engine charged. */
interface Compared {
  readonly domain: string
  readonly way: string
  readonly of: 'write' | 'page' | 'look-up'
  readonly expected: number
  readonly measured: number
}

const RANDOM_SEEDS = 6
/** Seconds for a search: the workload decides what is found, not the speed of the machine. */
const SECONDS = 600
const SEEDS = 1
/** A page of a short list and a write of an item with several entries differ much from one to the next. */
const EXTENT: Extent = { scopes: 40, items: 6_000, writes: 400 }
/** An item of a power set is 32 entries and more. */
const OF_POWER_SET: Extent = { scopes: 2 }
/** DynamoDB Local takes ten times as long for twice as many items. */
const OF_NATIVE_KEYS: Extent = { scopes: 16, items: 2_000, writes: 200 }
const GROWTHS = [0.9, 0.94, 0.98, 1.02, 1.06, 1.1]

/** Compares the adviser's estimates with what engines charge, on workloads that it was not fitted to. */
export async function adviser({ quick, seed }: BenchContext): Promise<Report> {
  // Seeds that the tests do not have.
  const first = 1_000 * seed + 1
  const [layouts, pages] = await Promise.all([comparedLayouts(quick, first), comparedPages(quick, first)])
  return {
    tables: [
      summary('Layouts, sets of indexes and codecs', layouts),
      summary('Page indexes', pages),
      farthest([...layouts, ...pages]),
    ],
    targets: (['write', 'page', 'look-up'] as const).map(
      (of): Target => ({
        name: `error of the units of a ${of}, the worst`,
        value: Math.max(...[...layouts, ...pages].filter((one) => one.of === of).map(errorOf)),
        ...{ limit: 0.1, kind: 'at most' },
      }),
    ),
    figures: [...layouts, ...pages],
  }
}

function errorOf({ expected, measured }: Compared): number {
  return Math.abs(expected / measured - 1)
}

function percent(share: number): string {
  return `${rounded(100 * share, 1)} %`
}

/** How far off what is expected is, by way and domain. */
function summary(title: string, compared: readonly Compared[]): FigureTable {
  const groups = new Map<string, Compared[]>()
  for (const one of compared) {
    const name = JSON.stringify([one.way, one.domain, one.of])
    groups.set(name, [...(groups.get(name) ?? []), one])
  }
  return {
    title: `${title}: units as expected over units as measured`,
    columns: ['what', 'workloads', 'units of a', 'cases', 'mean expected', 'mean measured', 'mean error', 'worst'],
    rows: [...groups.values()].map((of): (string | number)[] => {
      const [{ way, domain, of: unit }] = of as [Compared]
      const means = [mean(of.map(({ expected }) => expected)), mean(of.map(({ measured }) => measured))]
      const errors = of.map(errorOf)
      return [
        ...[way, domain, unit, of.length, ...means.map((each) => rounded(each, 2))],
        ...[percent(mean(errors)), percent(Math.max(...errors))],
      ]
    }),
  }
}

function farthest(compared: readonly Compared[]): FigureTable {
  const worst = compared.toSorted((a, b) => errorOf(b) - errorOf(a)).slice(0, 5)
  return {
    title: `Of ${compared.length} figures the five that are furthest off`,
    columns: ['what', 'workload', 'units of a', 'expected', 'measured', 'error'],
    rows: worst.map((one) => [
      ...[one.way, one.domain, one.of, rounded(one.expected, 2), rounded(one.measured, 2)],
      percent(errorOf(one)),
    ]),
  }
}

async function comparedLayouts(quick: boolean, first: number): Promise<readonly Compared[]> {
  await using local = await startDynamoDbLocal()
  await using embedded = await openEngine()
  // The embedded engine has no native keys.
  await using complete = await openEngine({ endpoint: local.endpoint })
  const found: Compared[] = []
  for (const [domain, make] of Object.entries<Domain>({ random: randomWorkload, ...DOMAINS })) {
    const seeds = quick ? 1 : domain === 'random' ? RANDOM_SEEDS : SEEDS
    for (let seed = first; seed < first + seeds; seed++) {
      const made = make(seededRandom(seed), seed)
      for (const { way, layout, collection, priced } of await waysOf(made, domain === 'random' && seed === first)) {
        const isEmbedded = layout.name !== 'native-keys'
        const client = new DynamoDBClient((isEmbedded ? embedded : complete).clientConfig)
        const extent = layout.name === 'power-set' ? OF_POWER_SET : isEmbedded ? EXTENT : OF_NATIVE_KEYS
        const scenario = scenarioOf(made, extent)
        const { codec } = collection
        const measured = await measuredLoad({ client, isEmbedded }, scenario, {
          layout,
          indexes: priced.indexes,
          codec,
        })
        found.push(
          { domain, way, of: 'write', expected: priced.unitsPerWrite, measured: measured.unitsPerWrite },
          { domain, way, of: 'page', expected: priced.unitsPerRead, measured: measured.unitsPerRead },
        )
      }
    }
  }
  return found.toSorted((a, b) => a.way.localeCompare(b.way))
}

interface Way {
  readonly way: string
  readonly layout: Layout
  readonly collection: Collection
  readonly priced: PricedLayout
}

/** The cheapest sets of indexes and the default ones; power sets, where asked for; codecs, of real texts. */
async function waysOf({ collection: made, workload }: WorkloadCase, withSets: boolean): Promise<readonly Way[]> {
  const collection = { ...made, indexes: undefined }
  const searched = { indexes: indexes(), 'native keys': nativeKeys() }
  const { layouts } = await advise(collection, workload, {
    layouts: { 'native keys': searched['native keys'] },
    seconds: SECONDS,
  })
  const cheapest = Object.entries(searched).flatMap(([name, layout]): readonly Way[] => {
    const priced = layouts.find((one) => one.name === `${name}, the cheapest set`)
    return priced === undefined ? [] : [{ way: priced.name, layout, collection, priced }]
  })
  const { items } = workload
  const others: (readonly [way: string, layout: Layout, codec?: Collection['codec']])[] = [
    ['indexes, by default', indexes()],
    ...(withSets
      ? ([
          ['power set', powerSet()],
          ['power set, by the stream', powerSet({ kept: 'stream' })],
        ] as const)
      : []),
  ]
  if (items !== undefined && made.attributes !== undefined) {
    const dictionaries = [trainDictionary(collection as never, items.slice(items.length / 2) as never)]
    others.push(['indexes, packed', indexes(), packed()], ['indexes, deflated', indexes(), deflated({ dictionaries })])
  }
  const priced: Way[] = []
  for (const [way, layout, codec] of others) {
    const stored = { ...collection, codec }
    try {
      // A dictionary packs what taught it better than what comes.
      const half = codec === undefined ? items : items?.slice(0, items.length / 2)
      const given = half === undefined ? workload : { ...workload, items: half }
      priced.push({ way, layout, collection: stored, priced: await priceLayout(stored, layout, given) })
    } catch (error) {
      if (!(error instanceof LapidaryError)) throw error
    }
  }
  return [...cheapest, ...priced]
}

/** Page indexes in the table: of several sizes about one, since what a look-up takes goes up and down as a list grows. */
async function comparedPages(quick: boolean, first: number): Promise<readonly Compared[]> {
  await using engine = await openEngine()
  const found: Compared[] = []
  const cases: readonly (readonly [domain: string, items: number, facet: string, further?: PagesDeclaration])[] = [
    ['articles', 60, 'premium'],
    ['orders', 400, 'status'],
    ['orders', 400, 'status', { order: 'amount' }],
    ['tickets', 400, 'status', { facet: 'tags' }],
    ['reviews', 1_300, 'rating'],
    ['events', 3_800, 'kind'],
  ]
  const stores = [
    ['dynamodb', segments],
    ['page-markers', pageMarkers],
  ] as const
  for (const [domain, items, facet, further] of quick ? cases.slice(0, 2) : cases) {
    for (const [name, store] of stores) {
      for (const together of [1, 12]) {
        for (const writes of [{ create: 1 }, { create: 0.6, delete: 0.15, edit: { [facet]: 0.25 } }]) {
          // Page markers refuse changes anywhere in a long list.
          if (name === 'page-markers' && writes.edit !== undefined && items > 2_000) continue
          // Markers keep no other order.
          if (name === 'page-markers' && further !== undefined) continue
          const measured: MeasuredPages[] = []
          for (const [i, growth] of GROWTHS.entries()) {
            // Changes elsewhere, of items of the same kind.
            const { collection, ...of } = (DOMAINS[domain] as Domain)(seededRandom(first + items), first)
            const made = { ...of, collection: further === undefined ? collection : { ...collection, pages: [further] } }
            const load: PageLoad = { store: store(), name, items: Math.round(items * growth), together, writes }
            const client = new DynamoDBClient(engine.clientConfig)
            const random = seededRandom(first + items + i)
            measured.push(await measuredPages({ client, isEmbedded: true }, made, load, random))
          }
          const also = further === undefined ? '' : `, also by ${further.order ?? further.facet}`
          const named = { domain: `${domain}, ${items.toLocaleString('en')} items${also}`, way: name }
          const unitsOf = (of: 'unitsPerWrite' | 'unitsPerLookUp') => ({
            expected: mean(measured.map(({ expected }) => expected[of])),
            measured: mean(measured.map((each) => each[of])),
          })
          found.push(
            { ...named, of: 'write', ...unitsOf('unitsPerWrite') },
            // Those of another page index are alike.
            ...(further === undefined ? [{ ...named, of: 'look-up' as const, ...unitsOf('unitsPerLookUp') }] : []),
          )
        }
      }
    }
  }
  return found.toSorted((a, b) => a.way.localeCompare(b.way))
}
