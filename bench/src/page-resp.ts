import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { createClient } from 'redis'
import type { BenchContext } from './bench.ts'
import { mean, median, rounded, timed } from './measure.ts'
import { type BenchServer, redisProgram, startRedis, startResp } from './redis-process.ts'
import type { Report, Target } from './report.ts'

const run = promisify(execFile)

/** The commands of a page index, with arguments that `redis-benchmark` fills in at random. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  ZADD: ['ZADD', 'list', '__rand_int__', 'member:__rand_int__'],
  'ZRANGE of 20': ['ZRANGE', 'list', '5000', '5019'],
  ZRANK: ['ZRANK', 'list', 'member:__rand_int__'],
  ZSCORE: ['ZSCORE', 'list', 'member:__rand_int__'],
  ZCARD: ['ZCARD', 'list'],
}
const KINDS = 100_000
const CLIENTS = 50

type Servers = readonly [ours: BenchServer, synced: BenchServer, unsynced: BenchServer]

/** Commands a second of `lapidary resp` beside those of Redis: same machine, same client, same pipeline, in turns. */
export async function pageResp({ quick }: BenchContext): Promise<Report> {
  await using ours = await startResp()
  await using synced = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always'])
  await using unsynced = await startRedis()
  const servers: Servers = [ours, synced, unsynced]
  for (const server of servers) await fill(server)
  const rows: (string | number)[][] = []
  const targets: Target[] = []
  const turns = quick ? 1 : 5
  for (const [client, rate] of Object.entries({ 'node-redis': byNodeRedis, 'redis-benchmark': byRedisBenchmark })) {
    for (const [name, command] of Object.entries(COMMANDS)) {
      for (const pipeline of [1, 16]) {
        const rates: number[][] = [[], [], []]
        const worked: number[][] = [[], [], []]
        for (let turn = 0; turn < turns; turn++) {
          for (const [i, server] of servers.entries()) {
            const before = processorSeconds(server.pid)
            const { perSecond, requests } = await rate(server, command, pipeline, quick)
            rates[i]?.push(perSecond)
            worked[i]?.push(((processorSeconds(server.pid) - before) * 1e6) / requests)
          }
        }
        // Both with what was acknowledged on the disk; reads do not differ.
        const [own = 0, withSync = 0, without = 0] = rates.map(median)
        const ratio = rounded(own / (name === 'ZADD' ? withSync : without), 2)
        const [work = 0, workWithSync = 0, workWithout = 0] = worked.map(mean)
        const micros = [work, name === 'ZADD' ? workWithSync : workWithout].map((each) => rounded(each, 1))
        rows.push([
          client,
          name,
          pipeline,
          ...[own, withSync, without].map((each) => rounded(each, 0)),
          ratio,
          ...micros,
        ])
        const target = `${client}, ${name}, pipeline of ${pipeline}: share of Redis`
        targets.push({ name: target, value: ratio, limit: 0.5, kind: 'at least' })
      }
    }
  }
  const title = `Commands a second, ${CLIENTS} connections, one list of up to ${KINDS} members; lapidary resp and the first Redis have synced what they acknowledge`
  const columns = [
    ...['client', 'command', 'pipeline', 'lapidary resp', 'Redis, synced', 'Redis, in memory', 'ratio'],
    ...['µs of processor a command', 'of Redis'],
  ]
  return { tables: [{ title, columns, rows }], targets, figures: { rows } }
}

async function fill(server: BenchServer): Promise<void> {
  await byRedisBenchmark(server, COMMANDS.ZADD ?? [], 16, false)
}

/** Requests that were sent, and their rate. */
interface Rate {
  readonly perSecond: number
  readonly requests: number
}

const TICKS_A_SECOND = 100

/** Reads the processor time of a process, with the system's for it: unlike a rate, it hardly depends on what else the machine does. */
function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND
}

async function byRedisBenchmark(
  { port }: BenchServer,
  command: readonly string[],
  pipeline: number,
  quick: boolean,
): Promise<Rate> {
  const requests = (quick ? 10_000 : 30_000) * (pipeline > 1 ? 5 : 1)
  const settings = ['-p', String(port), '-c', String(CLIENTS), '-n', String(requests), '-P', String(pipeline)]
  const { stdout } = await run(redisProgram('benchmark'), [...settings, '-r', String(KINDS), '--csv', ...command])
  return { perSecond: Number(/^"[^"]*","([\d.]+)"/m.exec(stdout.split('\n').at(1) ?? '')?.[1]), requests }
}

/** node-redis sends at once what is asked for in one turn of the event loop. */
async function byNodeRedis(
  { port }: BenchServer,
  command: readonly string[],
  pipeline: number,
  quick: boolean,
): Promise<Rate> {
  const clients = await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      const client = createClient({ socket: { port, host: '127.0.0.1' } })
      await client.connect()
      return client
    }),
  )
  const requests = (quick ? 5_000 : 6_000) * (pipeline > 1 ? 2 : 1)
  let left = requests
  const { ms } = await timed(() =>
    Promise.all(
      clients.map(async (client) => {
        for (; left > 0; left -= pipeline) {
          await Promise.all(Array.from({ length: pipeline }, () => client.sendCommand(filledIn(command))))
        }
      }),
    ),
  )
  for (const client of clients) client.destroy()
  return { perSecond: (requests / ms) * 1000, requests }
}

function filledIn(command: readonly string[]): string[] {
  return command.map((word) =>
    word.replace('__rand_int__', () => String(Math.floor(Math.random() * KINDS)).padStart(12, '0')),
  )
}
