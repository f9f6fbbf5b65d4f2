import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import {
  type CollectionClient,
  createLapidary,
  type Lapidary,
  LapidaryError,
  type Poller,
  type PollerStatus,
} from 'lapidary'
import { createOracle } from 'lapidary-testing'
import type { DrawnDeclaration, Thing } from './drawn-declaration.ts'

/** The table at which versions are at work. */
export interface SharedTable {
  readonly client: DynamoDBClient
  readonly streams: DynamoDBStreamsClient
  readonly tableName: string
  readonly clock: () => number
  /** Whether the stream tells of a write at once; else milliseconds after which it has told, and has listed every shard. */
  readonly stream: 'immediate' | { readonly lateMs: number }
}

/** The answer of a version beside the truth; `null` where it says that it does not know. */
export interface Observation {
  readonly what: string
  readonly said: unknown
  readonly truth: unknown
}

/** A process of one version of the declaration; it counts while it is started. */
export class Version {
  readonly declaration: DrawnDeclaration
  readonly things: CollectionClient<Thing>
  readonly errors: unknown[] = []
  readonly #lapidary: Lapidary<Record<string, never>>
  readonly #gate = { isKilled: false }
  #poller: Poller | undefined

  constructor({ client, streams, tableName, clock, stream }: SharedTable, declaration: DrawnDeclaration) {
    this.declaration = declaration
    const lapidary = createLapidary({
      client: gated(client, this.#gate),
      tableName,
      collections: { things: declaration.collection },
      cursorSecret: 'a secret of the tests',
      clock,
      derived: declaration.derived,
      stream: {
        client: gated(streams, this.#gate),
        ...(stream === 'immediate' ? { immediate: true } : { listedMs: stream.lateMs }),
      },
    })
    this.#lapidary = lapidary as never
    this.things = lapidary.things as unknown as CollectionClient<Thing>
  }

  get isCounting(): boolean {
    return this.#poller !== undefined
  }

  create(): Promise<boolean> {
    return this.#lapidary.table.create()
  }

  async start(): Promise<void> {
    this.#poller = await this.#lapidary.stream.start({
      ...{ idleMs: 10, quietMs: 20, gatherMs: 5, discoverMs: 50, leaseMs: 15_000 },
      // As the clock goes faster; at 100 a second most of the time is spent on removing probes.
      capacity: 1_000,
      onError: (error) => this.errors.push(error),
    })
  }

  async stop(): Promise<void> {
    const poller = this.#poller
    this.#poller = undefined
    await poller?.close()
  }

  /** Nothing that it sends from now on arrives, and it hears of nothing. */
  kill(): void {
    this.#gate.isKilled = true
    this.#poller = undefined
  }

  /** Mends, or makes anew, what differs by its declaration; not while another process does. */
  async mend(how: 'repair' | 'rebuild'): Promise<void> {
    const { derived } = this.#lapidary
    const options = { idleMs: 5, poll: false }
    const mending = how === 'repair' ? derived.repair(options) : derived.rebuild(undefined, options)
    await mending.catch(unavailable)
  }

  status(): PollerStatus | undefined {
    return this.#poller?.status()
  }

  states() {
    return this.#lapidary.derived.states()
  }

  /** Everything that it answers from what is derived. */
  async observe(items: readonly Thing[]): Promise<readonly Observation[]> {
    const { collection, derived } = this.declaration
    const oracle = createOracle(collection)
    for (const item of items) oracle.put(item)
    const scopes = [...new Set(['a', 'b/c', ...items.map(({ parent }) => parent)])]
    const observed: Observation[] = []
    const facets = Object.keys(collection.facets).filter((name) => collection.facets[name]?.counted)
    for (const scope of scopes) {
      const all = oracle.matching({ scope })
      const counts = await this.things.count({ scope })
      observed.push({ what: `count ${scope}`, said: counts.total, truth: all.length })
      if (collection.sums.length > 0) {
        const { sums } = await this.things.count({ scope, sums: ['size'] as never })
        const { size } = (sums ?? { size: null }) as { size: { sum: number } | null }
        const truth = all.reduce((sum, { size }) => sum + Number(size), 0)
        observed.push({ what: `sum ${scope}`, said: size === null ? null : size.sum, truth })
      }
      if (collection.statistics.days !== undefined) {
        const { total } = await this.things.count({ scope, every: 'month' })
        observed.push({ what: `days ${scope}`, said: total, truth: all.length })
      }
      for (const facet of facets) {
        const said = counts.facets?.[facet]
        const truth = occurrences(all, facet)
        observed.push({
          what: `facet ${facet} of ${scope}`,
          said: said === undefined ? null : withoutZeros(said),
          truth,
        })
      }
      const page = await this.things.list({ scope, limit: 2 })
      observed.push({ what: `list ${scope}`, said: page.items.map(({ id }) => id), truth: ids(all.slice(0, 2)) })
      observed.push({ what: `total ${scope}`, said: page.page.total, truth: all.length })
      if (derived.pages === undefined) continue
      for (const number of [2, 3]) {
        const start = (number - 1) * 2
        const said = await this.things.page(number, { scope, limit: 2 }).catch(unavailable)
        observed.push({
          ...{ what: `page ${number} of ${scope}`, said: said === null ? null : ids(said.items) },
          truth: ids(all.slice(start, start + 2)),
        })
        observed.push({
          what: `total by page ${number} of ${scope}`,
          said: said === null ? null : said.page.total,
          truth: all.length,
        })
      }
    }
    if (collection.statistics.across !== undefined) {
      const { total } = await this.things.count({} as never)
      observed.push({ what: 'count of all', said: total, truth: items.length })
    }
    if (collection.leaderboards.length > 0) {
      const { entries } = await this.things.leaderboard({ name: 'best' })
      const best = scopes.flatMap((scope) => {
        const count = oracle.matching({ scope }).filter(({ size }) => size === 3).length
        return count === 0 ? [] : [[scope, count] as const]
      })
      const truth = best.sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
      observed.push({ what: 'board', said: entries?.map(({ scope, count }) => [scope, count]) ?? null, truth })
    }
    return observed
  }
}

function unavailable(error: unknown): null {
  if (error instanceof LapidaryError && error.code === 'unavailable') return null
  throw error
}

function ids(items: readonly Thing[]): readonly string[] {
  return items.map(({ id }) => id)
}

function occurrences(items: readonly Thing[], facet: string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const item of items) {
    const value = (item as unknown as Record<string, unknown>)[facet]
    const values = Array.isArray(value) ? (value.length === 0 ? [null] : [...new Set(value)]) : [value ?? null]
    for (const each of values) counts[String(each)] = (counts[String(each)] ?? 0) + 1
  }
  return counts
}

function withoutZeros(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0))
}

/** A client through which nothing goes any more once its process is killed. */
function gated<C extends { send: unknown }>(client: C, gate: { readonly isKilled: boolean }): C {
  const never = new Promise<never>(() => {})
  const send = async (...given: readonly unknown[]): Promise<unknown> => {
    if (gate.isKilled) return never
    const answer = await (client.send as (...all: readonly unknown[]) => Promise<unknown>).apply(client, given as never)
    return gate.isKilled ? never : answer
  }
  return new Proxy(client, { get: (target, name) => (name === 'send' ? send : Reflect.get(target, name)) })
}
