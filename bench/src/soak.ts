import { ADMIN_TOKEN, type AppServer, startAppServer } from './app-server.ts'
import type { BenchContext } from './bench.ts'
import { type OtherRequest, runLoad } from './http-load.ts'
import { rounded } from './measure.ts'
import type { Report } from './report.ts'

/** The heap is read after each of these that is within the run. */
const STAGES = [10_000, 30_000, 100_000, 300_000, 1_000_000]
const REQUESTS = 100_000
const QUICK_REQUESTS = 20_000
const COMMENTS = 60
const CONNECTIONS = 16
/** The metrics do not collect garbage: the least of some readings is the nearest to what is kept. */
const READINGS = 20

/** The memory of the application after some requests, in MB. */
interface Memory {
  readonly requests: number
  readonly heap: number
  readonly reported: number
}

/** The heap of the application after ten thousand requests, and after many more; each reading is printed as it is taken. */
export async function soak({ quick, requests, minutes }: BenchContext): Promise<Report> {
  const most = requests ?? (quick ? QUICK_REQUESTS : REQUESTS)
  await using server = await startAppServer()
  await storeComments(server)
  const deadline = minutes === undefined ? undefined : performance.now() + minutes * 60_000
  const readings: Memory[] = []
  for (const count of new Set([...STAGES.filter((stage) => stage < most), most])) {
    const before = readings.at(-1)?.requests ?? 0
    const load = {
      address: server.address,
      path: requestOf,
      requests: count - before,
      connections: CONNECTIONS,
      deadline,
    }
    // A starved machine gives some calls up, and the application says so.
    const { 200: answered = 0, 503: refused = 0, ...others } = (await runLoad(load)).statuses
    if (refused > 0) console.log(`${refused} of ${count - before} requests were answered 503`)
    if (Object.keys(others).length > 0) throw new Error(`not all were answered: ${JSON.stringify(others)}`)
    const reading = { requests: before + answered + refused, ...(await memoryOf(server)) }
    console.log(`after ${reading.requests} requests: ${reading.heap} MB`)
    readings.push(reading)
    if (reading.requests < count) break
  }
  const [first, last] = [readings[0], readings.at(-1)] as [Memory, Memory]
  return {
    tables: [
      {
        title: 'The application’s heap, MB',
        columns: ['after requests', 'after a collection', 'least that /metrics says'],
        rows: readings.map(({ requests, heap, reported }) => [requests, heap, reported]),
      },
    ],
    targets: [
      {
        name: `heap after ${last.requests} requests over that after ${first.requests}`,
        value: last.heap / first.heap,
        limit: 1.2,
        kind: 'at most',
      },
    ],
    figures: readings,
  }
}

const HEADERS = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }

/** Mostly look-ups, then lists, pages with their counts, changes, and the checks that machines ask for. */
function requestOf(n: number): string | OtherRequest {
  const id = n % COMMENTS
  if (n % 100 === 0) return '/readyz'
  if (n % 20 === 1) return '/products/soak/comments?rating=4,5&limit=5'
  if (n % 50 === 2) return '/p/soak?limit=5'
  if (n % 50 === 3) return '/products/soak/comments?page=3&limit=5'
  if (n % 100 === 4) return '/products/soak/statistics'
  if (n % 100 === 5) {
    const body = JSON.stringify({ rating: 1 + (Math.floor(n / 100) % 5) })
    return { method: 'PATCH', path: `/comments/soak-${(n * 7) % COMMENTS}`, headers: HEADERS, body }
  }
  return `/comments/soak-${id}`
}

async function memoryOf(server: AppServer): Promise<Omit<Memory, 'requests'>> {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < READINGS; i++) {
    await runLoad({ address: server.address, path: () => '/healthz', requests: 500, connections: CONNECTIONS })
    const text = await (await fetch(`${server.address}/metrics`)).text()
    least = Math.min(least, Number(/^nodejs_heap_size_used_bytes (\S+)/m.exec(text)?.[1]))
  }
  return { heap: rounded((await server.heap()) / 2 ** 20, 1), reported: rounded(least / 2 ** 20, 1) }
}

async function storeComments({ address }: AppServer): Promise<void> {
  for (let i = 0; i < COMMENTS; i++) {
    const comment = { id: `soak-${i}`, language: 'en', rating: (i % 5) + 1, text: 'It works.', author: 'Ada' }
    const answer = await fetch(`${address}/products/soak/comments`, {
      method: 'POST',
      headers: HEADERS,
      body: JSON.stringify(comment),
    })
    if (!answer.ok) throw new Error(`a comment was refused: ${answer.status} ${await answer.text()}`)
  }
}
