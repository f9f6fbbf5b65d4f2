import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { type DiskChange, type DiskLists, openDiskLists, readDiskLists } from 'lapidary-pages/file'
import { createClient } from 'redis'
import type { BenchContext } from './bench.ts'
import { median, quantile, rounded, timed } from './measure.ts'
import type { Random } from './random.ts'
import { type BenchServer, startRedis } from './redis-process.ts'
import type { Report, Target } from './report.ts'

const LIST = 'PRODUCT#42/en/5'
const AT_ONCE = 10_000
const CHANGES = 10_000
/** Larger logs than usual: filled once, read much. */
const COMMIT_BYTES = 48 * 2 ** 20
const FIRST_TIME = Date.UTC(2020, 0, 1)

/** Sorted lists on disk: look-ups beside a Redis with the same entries, size, memory, and what a commit costs others. */
export async function pageFiles({ random, quick }: BenchContext): Promise<Report> {
  const sizes = quick ? [1_000, 20_000] : [10_000, 100_000, 1_000_000, 10_000_000]
  const rows: (string | number)[][] = []
  const commits: (string | number)[][] = []
  let targets: readonly Target[] = []
  for (const entries of sizes) {
    const folder = mkdtempSync(join(tmpdir(), 'lapidary-bench-'))
    try {
      const filled = await fill(folder, entries)
      await using redis = await startRedis()
      await fillRedis(redis, entries)
      const looked = await lookUps(folder, redis, entries, random, quick ? 300 : 5_000)
      rows.push([
        entries,
        looked.files,
        looked.redis,
        looked.ratio,
        looked.bytes,
        looked.memory,
        memoryOf(redis.pid),
        looked.openMs,
        filled,
      ])
      const commit = await commitOf(folder, entries, random)
      commits.push([entries, ...commit.row])
      targets = [
        {
          name: `look-up in ${entries} entries: share of that through Redis`,
          value: looked.ratio,
          limit: 0.2,
          kind: 'at most',
        },
        { name: 'bytes an entry', value: looked.bytes, limit: 40, kind: 'at most' },
        {
          name: `seconds to commit ${CHANGES} changes into ${entries} entries`,
          value: commit.seconds,
          limit: 10,
          kind: 'at most',
        },
      ]
    } finally {
      rmSync(folder, { recursive: true })
    }
  }
  const starts = await startsOf(quick ? 20_000 : 1_000_000, random)
  return {
    tables: [
      {
        title: 'Entry at a random rank, one after the other: files, and ZRANGE r r through node-redis on loopback',
        columns: [
          'entries',
          'files, µs',
          'Redis, µs',
          'ratio',
          'bytes an entry',
          'growth of this process, MB',
          'memory of Redis, MB',
          'open, ms',
          'entries filled in a second',
        ],
        rows,
      },
      {
        title: `A commit of ${CHANGES} changes (new, moved and removed at random places), and look-ups meanwhile`,
        columns: [
          'entries',
          'changes acknowledged, s',
          'commit, s',
          'look-ups meanwhile',
          'median, µs',
          '99 %, µs',
          'longest turn, ms',
        ],
        rows: commits,
      },
      {
        title: 'Start of a writer, where the log has a change of each entry',
        columns: ['changes', 'entries', 'MB of the log', 'after SIGKILL, s', 'after a close, s'],
        rows: starts,
      },
    ],
    targets,
    figures: { rows, commits, starts },
  }
}

const memberOf = (i: number): string => String(100_000_000 + i)
/** Several entries a millisecond now and then: ties. */
const scoreOf = (i: number): number => FIRST_TIME + Math.floor(i / 3) * 1_000

/** Entries a second. */
async function fill(folder: string, entries: number): Promise<number> {
  await using lists = await openDiskLists({ folder, commitBytes: COMMIT_BYTES })
  const { ms } = await timed(async () => {
    for (let start = 0; start < entries; start += AT_ONCE) {
      const size = Math.min(AT_ONCE, entries - start)
      const changes = Array.from({ length: size }, (_, i): DiskChange => {
        return { type: 'set', list: LIST, member: memberOf(start + i), score: scoreOf(start + i) }
      })
      await lists.apply(changes)
    }
    await lists.commit()
    await lists.commit()
  })
  return rounded((entries / ms) * 1000, 0)
}

async function fillRedis(redis: BenchServer, entries: number): Promise<void> {
  const client = await connected(redis)
  for (let start = 0; start < entries; start += AT_ONCE) {
    const size = Math.min(AT_ONCE, entries - start)
    await client.zAdd(
      LIST,
      Array.from({ length: size }, (_, i) => ({ value: memberOf(start + i), score: scoreOf(start + i) })),
    )
  }
  client.destroy()
}

async function connected({ port }: BenchServer) {
  const client = createClient({ socket: { port, host: '127.0.0.1' } })
  await client.connect()
  return client
}

/** Times a start. The files of a writer that is still open are those that SIGKILL leaves. */
async function startsOf(entries: number, random: Random): Promise<(string | number)[][]> {
  const rows: (string | number)[][] = []
  for (const kind of ['new', 'moved to random places'] as const) {
    const folder = mkdtempSync(join(tmpdir(), 'lapidary-bench-'))
    const killed = mkdtempSync(join(tmpdir(), 'lapidary-bench-'))
    try {
      const options = { folder, commitBytes: 2 ** 30 }
      const lists = await openDiskLists(options)
      const set = async (score: (i: number) => number): Promise<void> => {
        for (let start = 0; start < entries; start += AT_ONCE) {
          const numbers = Array.from({ length: Math.min(AT_ONCE, entries - start) }, (_, i) => start + i)
          await lists.apply(numbers.map((i) => ({ type: 'set', list: LIST, member: memberOf(i), score: score(i) })))
        }
      }
      await set(scoreOf)
      if (kind !== 'new') {
        await lists.commit()
        await set(() => scoreOf(Math.floor(random() * entries)) + 1)
      }
      const { logBytes } = lists.status()
      const isFile = (name: string): boolean => !name.endsWith('.lock')
      for (const name of readdirSync(folder).filter(isFile)) copyFileSync(join(folder, name), join(killed, name))
      await lists.close()
      const start = async (which: string): Promise<number> => {
        const { ms, value } = await timed(() => openDiskLists({ ...options, folder: which }))
        await value.close()
        return rounded(ms / 1000, 2)
      }
      rows.push([kind, entries, rounded(logBytes / 1e6, 1), await start(killed), await start(folder)])
    } finally {
      for (const one of [folder, killed]) rmSync(one, { recursive: true })
    }
  }
  return rows
}

interface LookUps {
  readonly files: number
  readonly redis: number
  readonly ratio: number
  readonly bytes: number
  readonly memory: number
  readonly openMs: number
}

/** In turns, so that what else the machine does meets both. */
async function lookUps(
  folder: string,
  redis: BenchServer,
  entries: number,
  random: Random,
  samples: number,
): Promise<LookUps> {
  const before = process.memoryUsage.rss()
  const { ms: openMs, value: lists } = await timed(async () => {
    const opened = readDiskLists({ folder })
    opened.at(LIST, Math.floor(entries / 2))
    return opened
  })
  const client = await connected(redis)
  const files: number[] = []
  const through: number[] = []
  const rank = (): number => Math.floor(random() * entries)
  for (let round = 0; round < 10; round++) {
    const isCounted = round > 1
    const ranks = Array.from({ length: samples }, rank)
    const own = await timed(async () => {
      for (const one of ranks) lists.at(LIST, one)
    })
    const theirs = await timed(async () => {
      for (const one of ranks) await client.zRange(LIST, one, one)
    })
    for (const one of ranks.slice(0, 20)) {
      const [member] = await client.zRange(LIST, one, one)
      if (lists.at(LIST, one)?.member !== member) throw new Error(`rank ${one} is ${member} in Redis`)
    }
    if (isCounted) files.push((own.ms / samples) * 1000)
    if (isCounted) through.push((theirs.ms / samples) * 1000)
  }
  const memory = (process.memoryUsage.rss() - before) / 2 ** 20
  const { baseBytes, baseEntries } = lists.status()
  client.destroy()
  lists.close()
  return {
    files: rounded(median(files), 1),
    redis: rounded(median(through), 1),
    ratio: rounded(median(files.map((one, i) => one / (through[i] ?? Number.NaN)))),
    bytes: rounded(baseBytes / baseEntries, 1),
    memory: rounded(Math.max(0, memory), 0),
    openMs: rounded(openMs, 1),
  }
}

function memoryOf(pid: number): number {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? []
  return rounded(Number(kilobytes) / 1024, 0)
}

async function commitOf(folder: string, entries: number, random: Random) {
  await using lists = await openDiskLists({ folder, commitBytes: COMMIT_BYTES })
  const changes = Array.from({ length: CHANGES }, (_, i) => changeAt(i, entries, random))
  const applied = await timed(() => lists.apply(changes))
  const reads: number[] = []
  const turns: number[] = []
  const work = { isOver: false }
  const reading = readMeanwhile(lists, entries, random, work, reads, turns)
  const committed = await timed(() => lists.commit())
  work.isOver = true
  await reading
  const seconds = rounded(committed.ms / 1000, 2)
  const row = [
    rounded(applied.ms / 1000, 2),
    seconds,
    reads.length,
    rounded(median(reads), 1),
    rounded(quantile(reads, 0.99), 1),
    rounded(Math.max(...turns), 1),
  ]
  return { row, seconds }
}

function changeAt(i: number, entries: number, random: Random): DiskChange {
  const member = memberOf(Math.floor(random() * entries))
  const score = scoreOf(Math.floor(random() * entries))
  if (i % 4 === 0) return { type: 'remove', list: LIST, member }
  return { type: 'set', list: LIST, member: i % 2 === 0 ? member : `new ${i}`, score }
}

/** A few look-ups in each turn of the event loop, as other requests would make them. */
async function readMeanwhile(
  lists: DiskLists,
  entries: number,
  random: Random,
  work: { readonly isOver: boolean },
  reads: number[],
  turns: number[],
): Promise<void> {
  while (!work.isOver) {
    const startedAt = performance.now()
    await turn()
    turns.push(performance.now() - startedAt)
    for (let i = 0; i < 3; i++) {
      const readAt = performance.now()
      lists.at(LIST, Math.floor(random() * entries * 0.9))
      reads.push((performance.now() - readAt) * 1000)
    }
    await sleep(1)
  }
}
