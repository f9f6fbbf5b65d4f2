import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ADMIN_TOKEN, type ServerProcess, startAppServer, startServerProcess } from './app-server.ts'
import type { BenchContext } from './bench.ts'
import { runLoad } from './http-load.ts'
import { median, rounded } from './measure.ts'
import type { Report } from './report.ts'

/** Turns are short and many: what else the machine does meanwhile then meets both servers, and a pair of turns is compared by itself. */
const TURNS = 60
const QUICK_TURNS = 3
const REQUESTS = 160
/** Of each server, before the first turn that counts. */
const WARM_UP = 2_000
const COMMENTS = 300
const CONNECTIONS = 16
const BARE_PATH = '/products/42/comments?language=en&rating=5'

/** A server that answers the page, and where it has it. */
interface Tried {
  /** What it is called in the table, and in the target. */
  readonly name: string
  readonly short: string
  readonly server: ServerProcess
  readonly path: string
}

/** A filtered page through the application, and by a bare server that sends the same Query, in turns. */
export async function http({ quick }: BenchContext): Promise<Report> {
  await using server = await startAppServer()
  await using bare = await startServerProcess('bare-process.ts', { DATA_DIR: server.dataDir, TABLE_NAME: 'comments' })
  await storeComments(`${server.address}/products/42/comments`, {})
  const tried = { name: 'the application', short: 'application', server, path: BARE_PATH }
  return await compared(tried, bare, quick)
}

/** The same by the API of any declared collection, as `lapidary serve` has it. */
export async function httpAny({ quick }: BenchContext): Promise<Report> {
  const dataDir = mkdtempSync(join(tmpdir(), 'lapidary-bench-'))
  try {
    await using server = await startServerProcess('served-process.ts', { DATA_DIR: dataDir, ADMIN_TOKEN })
    await using bare = await startServerProcess('bare-process.ts', { DATA_DIR: dataDir, TABLE_NAME: 'comments' })
    await storeComments(`${server.address}/comments`, { productId: '42' })
    const path = '/comments?scope=42&language=en&rating=5'
    return await compared({ name: 'lapidary-http', short: 'lapidary-http', server, path }, bare, quick)
  } finally {
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

async function compared({ name, short, server, path }: Tried, bare: ServerProcess, quick: boolean): Promise<Report> {
  await requireSamePage({ server, path }, bare)
  const turns: { readonly app: Turn; readonly bare: Turn }[] = []
  const take = (isBare: boolean, requests: number): Promise<Turn> =>
    isBare ? takeTurn(bare, BARE_PATH, requests) : takeTurn(server, path, requests)
  for (const isBare of [true, false]) await take(isBare, quick ? REQUESTS : WARM_UP)
  for (let turn = 0; turn < (quick ? QUICK_TURNS : TURNS); turn++) {
    // In the other order each time, so that neither is always the first.
    const early = await take(turn % 2 !== 0, REQUESTS)
    const late = await take(turn % 2 === 0, REQUESTS)
    turns.push(turn % 2 === 0 ? { app: early, bare: late } : { app: late, bare: early })
  }
  const medians = (server: 'app' | 'bare') => [
    rounded(median(turns.map((turn) => turn[server].perSecond)), 0),
    rounded(median(turns.map((turn) => turn[server].cpuMs)), 2),
  ]
  return {
    tables: [
      {
        title: `A filtered page of 20, ${CONNECTIONS} connections, median of ${turns.length} turns each of ${REQUESTS} requests`,
        columns: ['server', 'requests a second', 'processor, ms a request'],
        rows: [
          [name, ...medians('app')],
          ['bare node:http with the SDK', ...medians('bare')],
        ],
      },
    ],
    targets: [
      {
        name: `requests a second, ${short} over bare server (median of pairs of turns)`,
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

async function takeTurn(server: ServerProcess, path: string, requests: number): Promise<Turn> {
  const before = await server.cpu()
  const load = { address: server.address, path: () => path, requests, connections: CONNECTIONS }
  const { perSecond } = await runLoad(load)
  return { perSecond, cpuMs: ((await server.cpu()) - before) / requests }
}

async function storeComments(address: string, more: Readonly<Record<string, string>>): Promise<void> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
  for (let i = 0; i < COMMENTS; i++) {
    const text = 'It does what it says, and it has done so every day since it came. '.repeat(4)
    const comment = { language: 'en', rating: i % 3 === 0 ? 4 : 5, title: 'Just right', text, author: 'Ada', ...more }
    const answer = await fetch(address, { method: 'POST', headers, body: JSON.stringify(comment) })
    if (!answer.ok) throw new Error(`a comment was refused: ${answer.status} ${await answer.text()}`)
  }
}

async function requireSamePage({ server, path }: Pick<Tried, 'server' | 'path'>, bare: ServerProcess): Promise<void> {
  const idsOf = async (address: string, name: 'id' | 'i'): Promise<string> => {
    const page = (await (await fetch(address)).json()) as { items: readonly Record<string, unknown>[] }
    return page.items.map((item) => item[name]).join()
  }
  if ((await idsOf(server.address + path, 'id')) !== (await idsOf(bare.address + BARE_PATH, 'i')))
    throw new Error('the two servers gave other pages')
}
