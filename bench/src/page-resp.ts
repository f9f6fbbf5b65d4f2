import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createClient } from 'redis'
import type { BenchContext } from './bench.ts'
import { median, rounded, timed } from './measure.ts'
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
  const turns = quick ? 1 : 3
  for (const [client, rate] of Object.entries({ 'node-redis': byNodeRedis, 'redis-benchmark': byRedisBenchmark })) {
    for (const [name, command] of Object.entries(COMMANDS)) {
      for (const pipeline of [1, 16]) {
        const rates: number[][] = [[], [], []]
        for (let turn = 0; turn < turns; turn++) {
          for (const [i, server] of servers.entries()) rates[i]?.push(await rate(server, command, pipeline, quick))
        }
        const [own = [], withSync = [], without = []] = rates
        // Both with what was acknowledged on the disk; reads do not differ.
        const ratio = rounded(median(own) / median(name === 'ZADD' ? withSync : without), 2)
        rows.push([client, name, pipeline, ...rates.map((all) => rounded(median(all), 0)), ratio])
        const target = `${client}, ${name}, pipeline of ${pipeline}: share of Redis`
        targets.push({ name: target, value: ratio, limit: 0.5, kind: 'at least' })
      }
    }
  }
  const title = `Commands a second, ${CLIENTS} connections, one list of up to ${KINDS} members; lapidary resp and the first Redis have synced what they acknowledge`
  const columns = ['client', 'command', 'pipeline', 'lapidary resp', 'Redis, synced', 'Redis, in memory', 'ratio']
  return { tables: [{ title, columns, rows }], targets, figures: { rows } }
}

async function fill(server: BenchServer): Promise<void> {
  await byRedisBenchmark(server, COMMANDS.ZADD ?? [], 16, false)
}

async function byRedisBenchmark(
  { port }: BenchServer,
  command: readonly string[],
  pipeline: number,
  quick: boolean,
): Promise<number> {
  const requests = (quick ? 10_000 : 12_000) * (pipeline > 1 ? 4 : 1)
  const settings = ['-p', String(port), '-c', String(CLIENTS), '-n', String(requests), '-P', String(pipeline)]
  const { stdout } = await run(redisProgram('benchmark'), [...settings, '-r', String(KINDS), '--csv', ...command])
  return Number(/^"[^"]*","([\d.]+)"/m.exec(stdout.split('\n').at(1) ?? '')?.[1])
}

/** node-redis sends at once what is asked for in one turn of the event loop. */
async function byNodeRedis(
  { port }: BenchServer,
  command: readonly string[],
  pipeline: number,
  quick: boolean,
): Promise<number> {
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
  return (requests / ms) * 1000
}

function filledIn(command: readonly string[]): string[] {
  return command.map((word) =>
    word.replace('__rand_int__', () => String(Math.floor(Math.random() * KINDS)).padStart(12, '0')),
  )
}
