import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { BatchWriteItemCommand, DeleteTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  type Collection,
  type CollectionClient,
  createLapidary,
  type Facets,
  type FacetValue,
  type IndexDeclaration,
  type Item,
  indexes,
  type Layout,
  type Poller,
} from 'lapidary'
import { type Charged, observeWrites } from './observe-writes.ts'
import type { WorkloadCase } from './workload-case.ts'

/** The load of a workload on an engine: mean units of a write and of a page. */
export interface MeasuredLoad {
  readonly unitsPerWrite: number
  readonly unitsPerRead: number
}

/** The stored items and the operations, the same whatever the indexes are. */
export interface Scenario {
  readonly made: WorkloadCase
  /** Scopes with the share of the reads that each has. */
  readonly scopes: readonly (readonly [id: string, reads: number])[]
  readonly stored: readonly Item[]
  readonly writes: readonly { readonly share: number; readonly steps: readonly WriteStep[] }[]
}

type WriteStep =
  | { readonly kind: 'create'; readonly item: Item }
  | { readonly kind: 'delete'; readonly id: string }
  | { readonly kind: 'patch'; readonly id: string; readonly patch: Readonly<Record<string, FacetValue>> }

/** How much is stored and done: the more, the less chance there is in what a write and a page take. */
export interface Extent {
  /** Scopes of each size that are stored, unless they are so large that fewer do. */
  readonly scopes: number
  /** The items of scopes of one size; one scope has as many as the workload says. */
  readonly items?: number
  /** Writes by their shares. */
  readonly writes?: number
}

const LEAST_WRITES = 4
/** The first number of created items, so that none of them is stored yet. */
const CREATED_FROM = 90_000

export function scenarioOf(made: WorkloadCase, { scopes: most, items: enough = 1_500, writes = 60 }: Extent): Scenario {
  const { workload, collection } = made
  const sized = workload.scopes.flatMap(({ items, reads }) => {
    const count = Math.max(1, Math.min(most, Math.round(enough / items)))
    return Array.from({ length: count }, () => ({ items, reads: reads / count }))
  })
  const scopes = sized.map(({ reads }, i) => [`scope-${String(i + 1).padStart(8, '0')}`, reads] as const)
  let number = 0
  const stored = sized.flatMap(({ items }, s) =>
    Array.from({ length: items }, () => made.item(number++, scopes[s]?.[0] ?? '')),
  )
  let next = 0
  const steps = (share: number, step: (i: number) => WriteStep) => ({
    share,
    steps: Array.from({ length: Math.max(LEAST_WRITES, Math.round(writes * share)) }, () => step(next++)),
  })
  const { create = 0, delete: deletes = 0, edit = {} } = workload.writes
  return {
    ...{ made, scopes, stored },
    writes: [
      steps(create, (i) => ({ kind: 'create', item: made.item(CREATED_FROM + i, scopes[0]?.[0] ?? '') })),
      steps(deletes, (i) => ({ kind: 'delete', id: idOf(collection, stored[i]) })),
      ...Object.entries(edit).map(([attribute, share]) =>
        steps(share, (i) => {
          const item = stored[i] as Item
          const isFacet = Object.hasOwn(collection.facets, attribute)
          const value = isFacet ? made.otherValue(attribute, item[attribute]) : `${String(item[attribute]).slice(1)}~`
          return { kind: 'patch', id: idOf(collection, item), patch: { [attribute]: value } }
        }),
      ),
    ].filter(({ share }) => share > 0),
  }
}

function idOf({ id }: Collection, item: Item | undefined): string {
  return String(item?.[id])
}

/** The subject of a measurement: a layout, and the indexes that the collection declares. */
export interface Measured {
  readonly layout?: Layout
  readonly indexes: Readonly<Record<string, IndexDeclaration>> | undefined
  /** How items are stored; as they are when not given. */
  readonly codec?: Collection['codec']
}

/** Settles an item whose duplicates the change stream keeps. */
export type Settle = (context: Context, id: string) => Promise<unknown>
type Context = CollectionClient<unknown, Facets>['context']

/**
 * Stores the items, reads first pages and makes the writes, in a table of its own.
 *
 * @param settle In place of a poller, which is slower.
 */
export async function measuredLoad(
  engine: Charged,
  { made, scopes, stored, writes }: Scenario,
  { layout = indexes(), indexes: declared, codec }: Measured,
  settle?: Settle,
): Promise<MeasuredLoad> {
  const things: Collection = { ...made.collection, indexes: declared, codec }
  const { client } = engine
  const tableName = `things-${randomBytes(8).toString('hex')}`
  const cursorSecret = 'a secret that only the bench knows'
  const collections = { things }
  const stream = { immediate: true }
  const database = createLapidary({ client, tableName, collections, layout, cursorSecret, stream })
  const { context } = database.things
  await database.table.create()
  let poller: Poller | undefined
  try {
    await store(client, tableName, context, stored)
    const isStreamed = context.layout.duplicates?.kept === 'stream'
    poller = isStreamed && settle === undefined ? await database.stream.start({ idleMs: 50 }) : undefined
    await caughtUp(poller)

    let unitsPerRead = 0
    for (const { share, ...asked } of made.workload.queries) {
      for (const [scope, reads] of scopes) {
        const { plan } = await database.things.list({ scope, ...asked } as never)
        unitsPerRead += share * reads * ((plan.actual?.rcu ?? Number.NaN) - (plan.statisticsRcu ?? 0))
      }
    }

    const units = observeWrites(engine, 'items')
    let unitsPerWrite = 0
    for (const { share, steps } of writes) {
      const before = units.written
      for (const step of steps) {
        if (step.kind === 'create') await database.things.create(step.item as never)
        else if (step.kind === 'delete') await database.things.delete(step.id)
        else await database.things.patch(step.id, step.patch as never)
        if (isStreamed) await settle?.(context, step.kind === 'create' ? idOf(things, step.item) : step.id)
      }
      await caughtUp(poller)
      unitsPerWrite += (share * (units.written - before)) / steps.length
    }
    return { unitsPerWrite, unitsPerRead }
  } finally {
    await poller?.close()
    await client.send(new DeleteTableCommand({ TableName: tableName }))
    client.destroy()
  }
}

const BATCH = 25

async function store(
  client: DynamoDBClient,
  tableName: string,
  { layout, codec }: Context,
  items: readonly Item[],
): Promise<void> {
  const entries = items.flatMap((item) => layout.entriesOf(item, codec.toEntry(item as never)))
  for (let i = 0; i < entries.length; i += BATCH) {
    const puts = entries.slice(i, i + BATCH).map((entry) => ({ PutRequest: { Item: { ...entry } } }))
    await client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: puts } }))
  }
}

async function caughtUp(poller: Poller | undefined): Promise<void> {
  const from = Date.now()
  while (poller !== undefined && (poller.status().caughtUpAt ?? 0) <= from) await sleep(20)
}
