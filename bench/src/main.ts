import { writeFileSync } from 'node:fs'
import { adviser } from './adviser.ts'
import { attack } from './attack.ts'
import type { Bench, StoredComments } from './bench.ts'
import { benchArguments } from './bench-arguments.ts'
import { chaos } from './chaos.ts'
import { codecs } from './codecs.ts'
import { coldImport } from './cold-import.ts'
import { columns } from './columns.ts'
import { columnsSimulated } from './columns-simulated.ts'
import { generateComments } from './comments.ts'
import { costChart } from './cost-chart.ts'
import { depth } from './depth.ts'
import { derived } from './derived.ts'
import { embeddedWrites } from './embedded-writes.ts'
import { fetchSimulation } from './fetch-simulation.ts'
import { guard } from './guard.ts'
import { http, httpAny } from './http.ts'
import { importComments } from './import.ts'
import { lambda } from './lambda.ts'
import { latency } from './latency.ts'
import { lists } from './lists.ts'
import { nativeKeysBench } from './native-keys.ts'
import { pageFiles } from './page-files.ts'
import { pageMix } from './page-mix.ts'
import { pageNumbers } from './page-numbers.ts'
import { pageOrders } from './page-orders.ts'
import { pageResp } from './page-resp.ts'
import { pageS3 } from './page-s3.ts'
import { pageScale } from './page-scale.ts'
import { pageStores } from './page-stores.ts'
import { peersAuditLog, peersOrders, peersTickets } from './peers/peers.ts'
import { peersListings } from './peers/peers-listings.ts'
import { photos } from './photos.ts'
import { portals } from './portals.ts'
import { powerSetBench } from './power-set.ts'
import { seededRandom } from './random.ts'
import { rebuild } from './rebuild.ts'
import { circumstances, markdownTable, meets, rewriteBlock, saveResult, targetTable } from './report.ts'
import { scale } from './scale.ts'
import { shops } from './shops.ts'
import { soak } from './soak.ts'
import { entryOf, openCommentsTable, storeComments } from './stored-comments.ts'
import { studio } from './studio.ts'
import { telemetry } from './telemetry.ts'
import { votes } from './votes.ts'
import { writes } from './writes.ts'

/** `npm run bench -- lists latency --quick --seed 7`, `soak --requests 1000000 --minutes 60`: the named benches, or all of them. */

const BENCHES: Readonly<Record<string, Bench>> = {
  columns,
  'columns-simulated': columnsSimulated,
  'fetch-simulation': fetchSimulation,
  lists,
  depth,
  latency,
  lambda,
  'cold-import': coldImport,
  import: importComments,
  writes,
  photos,
  votes,
  codecs,
  derived,
  rebuild,
  guard,
  soak,
  attack,
  chaos,
  'embedded-writes': embeddedWrites,
  http,
  'http-any': httpAny,
  studio,
  pages: pageNumbers,
  'page-mix': pageMix,
  'page-orders': pageOrders,
  'page-files': pageFiles,
  'page-resp': pageResp,
  'page-s3': pageS3,
  'page-stores': pageStores,
  'page-scale': pageScale,
  scale,
  'power-set': powerSetBench,
  'native-keys': nativeKeysBench,
  'peers-orders': peersOrders,
  'peers-tickets': peersTickets,
  'peers-audit-log': peersAuditLog,
  'peers-listings': peersListings,
  telemetry,
  shops,
  portals,
  adviser,
}
const DOCUMENTS = ['docs/figures.md', 'docs/comparison.md', 'docs/peers.md', 'docs/scale.md']
const COMMENTS = 42_000
const QUICK_COMMENTS = 4_000

const { named, quick, seed, requests, minutes } = benchArguments(process.argv.slice(2), Object.keys(BENCHES))

let loading: Promise<StoredComments> | undefined
const taken = circumstances(seed, quick)
const missed: string[] = []
console.log(`${taken.machine}; node ${taken.node}; ${taken.engine}; seed ${seed}${quick ? '; quick' : ''}`)

try {
  for (const [name, bench] of Object.entries(BENCHES)) {
    if (named.length > 0 && !named.includes(name)) continue
    const startedAt = performance.now()
    const report = await bench({
      random: seededRandom(seed),
      seed,
      quick,
      requests,
      minutes,
      stored: () => (loading ??= load()),
    })
    console.log(`\n## ${name} (${((performance.now() - startedAt) / 1000).toFixed(0)} s)`)
    for (const table of report.tables) console.log(`\n${table.title}\n\n${markdownTable(table)}`)
    if (report.targets.length > 0) console.log(`\n${targetTable(report.targets)}`)
    missed.push(...report.targets.filter((target) => !meets(target)).map((target) => `${name}: ${target.name}`))
    if (!quick) {
      saveResult(name, taken, report)
      publish(name, report)
    }
  }
} finally {
  await (await loading)?.[Symbol.asyncDispose]()
}
if (missed.length > 0 && !quick) {
  console.log(`\nmissed: ${missed.join('; ')}`)
  process.exitCode = 1
}

async function load(): Promise<StoredComments> {
  const table = await openCommentsTable()
  const generated = generateComments(quick ? QUICK_COMMENTS : COMMENTS, seededRandom(seed))
  await storeComments(table.client, generated.map(entryOf))
  return { ...table, comments: generated }
}

/** Documents quote figures between markers, so that none is typed by hand. */
function publish(name: string, report: Awaited<ReturnType<Bench>>): void {
  const where = `${taken.date}, ${taken.machine}, Node ${taken.node}, ${taken.engine}, seed ${seed}.`
  const tables = report.tables.map((table) => `${table.title}:\n\n${markdownTable(table)}`)
  const targets = report.targets.length > 0 ? [targetTable(report.targets)] : []
  const text = [...targets, ...tables, where].join('\n\n')
  for (const document of DOCUMENTS) rewriteBlock(document, name, text)
  if (name === 'lists') writeFileSync(new URL('../../docs/images/costs.svg', import.meta.url), costChart(report))
}
