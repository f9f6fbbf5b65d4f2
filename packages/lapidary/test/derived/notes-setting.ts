import type { AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { Collection, CollectionClient, Poller, Projection } from 'lapidary'
import { createTestStreams, type TestEngine } from '../../../../test/engines/index.ts'
import { collectionProjections } from '../../src/derived/collection-projections.ts'
import type { DerivedData } from '../../src/recount/maintenance-options.ts'
import { startPoller } from '../../src/stream/poller.ts'
import { createRunner } from '../../src/stream/runner.ts'
import { withoutDigest } from '../derived-keys.ts'
import { bytesOf, scan } from '../stream/recount.ts'
import { openTestTable } from '../test-table.ts'
import { duplicates } from './duplicates-projection.ts'
import { BOXES, COLOURS, KINDS, type Note, notes } from './notes.ts'
import { ranges } from './ranges-projection.ts'

type Entry = Record<string, AttributeValue>

/** A table of notes, and four kinds of data derived from them. */
export interface NotesSetting extends AsyncDisposable {
  readonly client: DynamoDBClient
  readonly tableName: string
  readonly notes: CollectionClient<Note>
  readonly derived: DerivedData
  /** What verify and its like take; they wait no longer than these engines need. */
  readonly options: {
    readonly idleMs: number
  }
  /** Only these projections, as a program had that knew no others. */
  only(...names: readonly string[]): DerivedData
  poller(derived?: DerivedData): Poller
  /** The notes that are in the table. */
  stored(): Promise<readonly Note[]>
  /** What each of them weighs, by id. */
  weights(): Promise<ReadonlyMap<string, number>>
  /** The derived items that are in the table, by key: as entries, and as plain values to be compared with the oracle's. */
  entries(): Promise<ReadonlyMap<string, Entry>>
  held(): Promise<ReadonlyMap<string, Record<string, unknown>>>
}

const DERIVED = /^~(counts\.|leaders\.|duplicates#|ranges#)/

export async function openNotes(engine: TestEngine): Promise<NotesSetting> {
  const table = await openTestTable(engine, { notes })
  const { client, tableName } = table
  const own = table.lapidary.notes as unknown as CollectionClient<Note>
  const streams = createTestStreams(engine)
  const projections: readonly Projection[] = [
    ...collectionProjections(notes as Collection, own.context.layout),
    duplicates,
    ranges,
  ]
  const { clock, now } = own.context
  const derived: DerivedData = { table: own.context.table, streams, projections, clock, now }
  const entries = async (): Promise<ReadonlyMap<string, Entry>> =>
    new Map(
      (await scan(client, tableName))
        .filter(({ PK }) => DERIVED.test(PK?.S ?? ''))
        .map((entry) => [`${entry.PK?.S} ${entry.SK?.S}`, entry]),
    )
  return {
    ...{ client, tableName, notes: own, derived, entries },
    options: { idleMs: 20 },
    only: (...names) => ({ ...derived, projections: projections.filter(({ name }) => names.includes(name)) }),
    poller: (of = derived) => startPoller({ streams, runner: createRunner(of), idleMs: 20, gatherMs: 60 }),
    async stored() {
      const items = (await scan(client, tableName)).filter(({ PK }) => PK?.S?.startsWith('NOTE#') === true)
      return items.map((entry) => own.context.codec.toItem(entry) as unknown as Note)
    },
    async weights() {
      const items = (await scan(client, tableName)).filter(({ PK }) => PK?.S?.startsWith('NOTE#') === true)
      return new Map(items.map((entry) => [own.context.codec.toItem(entry).id as string, bytesOf(entry)]))
    },
    async held() {
      return new Map([...(await entries())].map(([key, entry]) => [withoutDigest(key), plain(entry)]))
    },
    async [Symbol.asyncDispose]() {
      streams.destroy()
      await table[Symbol.asyncDispose]()
    },
  }
}

/** What an item holds, without what no recount can tell: key, revision, time, and the shard of its list. */
function plain({ PK: _, SK: __, rev: ___, asOf: ____, k: _____, s, ...held }: Entry): Record<string, unknown> {
  const values = Object.entries({ ...held, ...(s === undefined ? {} : { place: s }) })
  return Object.fromEntries(
    values.map(([name, value]) => [name, value.N === undefined ? (value.S ?? value.BOOL ?? value.M) : Number(value.N)]),
  )
}

/** Makes notes, and changes and deletes some, by chance, until stopped or so many times. */
export async function writeNotes(
  target: CollectionClient<Note>,
  random: () => number,
  writes: number,
  prefix: string,
  signal?: AbortSignal,
): Promise<void> {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  const ids: string[] = []
  for (let i = 0; i < writes && signal?.aborted !== true; i++) {
    const drawn = { box: pick(BOXES), kind: pick(KINDS), colour: pick(COLOURS), place: Math.floor(random() * 100) }
    const kind = random()
    if (ids.length < 4 || kind < 0.5) {
      const id = `${prefix}${i}`
      ids.push(id)
      await target.create({ ...drawn, id, text: `${i}` })
    } else if (kind < 0.6) await target.patch(pick(ids), { text: `${i}` })
    else if (kind < 0.7) await target.patch(pick(ids), { place: drawn.place })
    else if (kind < 0.85) await target.patch(pick(ids), { colour: drawn.colour, kind: drawn.kind })
    else await target.delete(ids.splice(Math.floor(random() * ids.length), 1)[0] as string)
  }
}
