import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { BenchContext } from './bench.ts'
import { median, rounded } from './measure.ts'
import type { Report } from './report.ts'

interface Way {
  readonly name: string
  readonly options: readonly string[]
  /** The most times the processor's time of a list without observers. */
  readonly limit?: number
}

/** The same way twice shows what is noise. */
const WAYS: readonly Way[] = [
  { name: 'no observers', options: ['none'] },
  { name: 'no observers, again', options: ['none'] },
  { name: 'metrics for Prometheus', options: ['metrics'], limit: 1.25 },
  { name: 'traces, to an SDK that sends them nowhere', options: ['traces'], limit: 1.6 },
]

/**
 * The processor's time of a list of 20 by two lists, with answers of DynamoDB from memory, in a process for each way: what one way switches on in Node,
 * such as following each promise, would weigh on the others. The processes take turns.
 */
export async function telemetry({ quick }: BenchContext): Promise<Report> {
  // Of another version, whose built entry is there: what lists cost before there were observers.
  const { EARLIER } = process.env
  const ways =
    EARLIER === undefined ? WAYS : [...WAYS, { name: 'an earlier version', options: ['none', EARLIER] } satisfies Way]
  const children = await Promise.all(ways.map(({ options }) => start(options)))
  const turns = quick ? 3 : 40
  const taken: number[][] = ways.map(() => [])
  try {
    for (const child of children) await lists(child, quick ? 20 : 2_000)
    for (let turn = 0; turn < turns; turn++) {
      for (let i = 0; i < ways.length; i++) {
        const way = (i + turn) % ways.length
        taken[way]?.push(await lists(children[way] as ChildProcess, quick ? 20 : 300))
      }
    }
  } finally {
    for (const child of children) child.disconnect()
  }
  const times = (way: number): number =>
    median((taken[way] ?? []).map((microseconds, turn) => microseconds / (taken[0]?.[turn] ?? Number.NaN)))
  return {
    tables: [
      {
        title: `Processor's time of a list of 20 items by two lists, answers of DynamoDB from memory, ${turns} turns`,
        columns: ['observers', 'microseconds a list', 'times'],
        rows: ways.map(({ name }, i) => [name, rounded(median(taken[i] ?? []), 0), rounded(times(i), 3)]),
      },
    ],
    targets: ways.flatMap(({ name, limit }, i) =>
      limit === undefined
        ? []
        : [{ name: `${name}, over no observers`, value: times(i), limit, kind: 'at most' as const }],
    ),
    figures: ways.map(({ name }, i) => ({ name, microseconds: taken[i] })),
  }
}

async function start(options: readonly string[]): Promise<ChildProcess> {
  const child = fork(fileURLToPath(new URL('telemetry-process.ts', import.meta.url)), [...options])
  await once(child, 'message')
  return child
}

async function lists(child: ChildProcess, count: number): Promise<number> {
  child.send(count)
  const [microseconds] = await once(child, 'message')
  return microseconds as number
}
