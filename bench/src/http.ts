import { ADMIN_TOKEN, type ServerProcess, startAppServer, startServerProcess } from './app-server.ts'
import type { BenchContext } from './bench.ts'
import { runLoad } from './http-load.ts'
import { median, rounded } from './measure.ts'
import type { Report } from './report.ts'

const TURNS = 7
const QUICK_TURNS = 3
const REQUESTS = 1_000
const COMMENTS = 300
const CONNECTIONS = 16
const PATH = '/products/42/comments?language=en&rating=5'

/** A filtered page through the application, and by a bare server that sends the same Query, in turns. */
export async function http({ quick }: BenchContext): Promise<Report> {
  await using app = await startAppServer()
  await using bare = await startServerProcess('bare-process.ts', { DATA_DIR: app.dataDir, TABLE_NAME: 'comments' })
  await storeComments(app.address)
  await requireSamePage(app, bare)
  const turns: { readonly app: Turn; readonly bare: Turn }[] = []
  // The first turn warms both up.
  for (let turn = 0; turn <= (quick ? QUICK_TURNS : TURNS); turn++) {
    // In the other order each time, so that neither is always the first.
    const early = await takeTurn(turn % 2 === 0 ? app : bare)
    const late = await takeTurn(turn % 2 === 0 ? bare : app)
    if (turn > 0) turns.push(turn % 2 === 0 ? { app: early, bare: late } : { app: late, bare: early })
  }
  const medians = (server: 'app' | 'bare') => [
    rounded(median(turns.map((turn) => turn[server].perSecond)), 0),
    rounded(median(turns.map((turn) => turn[server].cpuMs)), 2),
  ]
  return {
    tables: [
      {
        title: `A filtered page of 20, ${CONNECTIONS} connections, median of ${turns.length} turns of ${REQUESTS} requests`,
        columns: ['server', 'requests a second', 'processor, ms a request'],
        rows: [
          ['the application', ...medians('app')],
          ['bare node:http with the SDK', ...medians('bare')],
        ],
      },
    ],
    targets: [
      {
        name: 'requests a second, application over bare server (median of the turns)',
        value: median(turns.map((turn) => turn.app.perSecond / turn.bare.perSecond)),
        limit: 0.9,
        kind: 'at least',
      },
    ],
    figures: turns,
  }
}

/** The result of one turn of a server. */
interface Turn {
  readonly perSecond: number
  /** Milliseconds of its own processor for each request, without the engine's. */
  readonly cpuMs: number
}

async function takeTurn(server: ServerProcess): Promise<Turn> {
  const before = await server.cpu()
  const load = { address: server.address, path: () => PATH, requests: REQUESTS, connections: CONNECTIONS }
  const { perSecond } = await runLoad(load)
  return { perSecond, cpuMs: ((await server.cpu()) - before) / REQUESTS }
}

async function storeComments(address: string): Promise<void> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
  for (let i = 0; i < COMMENTS; i++) {
    const text = 'It does what it says, and it has done so every day since it came. '.repeat(4)
    const comment = { language: 'en', rating: i % 3 === 0 ? 4 : 5, title: 'Just right', text, author: 'Ada' }
    const answer = await fetch(`${address}/products/42/comments`, {
      method: 'POST',
      headers,
      body: JSON.stringify(comment),
    })
    if (!answer.ok) throw new Error(`a comment was refused: ${answer.status}`)
  }
}

async function requireSamePage(app: ServerProcess, bare: ServerProcess): Promise<void> {
  const idsOf = async ({ address }: ServerProcess, name: 'id' | 'i'): Promise<string> => {
    const page = (await (await fetch(address + PATH)).json()) as { items: readonly Record<string, unknown>[] }
    return page.items.map((item) => item[name]).join()
  }
  if ((await idsOf(app, 'id')) !== (await idsOf(bare, 'i'))) throw new Error('the two servers gave other pages')
}
