import { BatchWriteItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { type Collection, type FacetValue, type IndexDeclaration, type Item, indexes, type Layout } from 'lapidary'
import type { TestEngine } from '../../../../test/engines/index.ts'
import { settleDuplicates } from '../../src/duplicates/settle-duplicates.ts'
import { createEntryCodec, type Entry } from '../../src/model/entry.ts'
import { primaryKey } from '../../src/model/stored-item.ts'
import { openTestTable } from '../test-table.ts'
import { observeWrites } from './observe-writes.ts'
import type { WorkloadCase } from './random-workload.ts'

/** What a workload took on an engine: units of a write and of a page, on average. */
export interface MeasuredLoad {
  readonly unitsPerWrite: number
  readonly unitsPerRead: number
}

/** What is stored and then done, the same whatever the indexes are. */
export interface Scenario {
  readonly made: WorkloadCase
  readonly scopes: readonly string[]
  readonly stored: readonly Item[]
  readonly writes: readonly { readonly share: number; readonly steps: readonly WriteStep[] }[]
}

type WriteStep =
  | { readonly kind: 'create'; readonly item: Item }
  | { readonly kind: 'delete'; readonly id: string }
  | { readonly kind: 'patch'; readonly id: string; readonly patch: Readonly<Record<string, FacetValue>> }

const WRITES = 60
const LEAST_WRITES = 4
const BATCH = 25

export function scenarioOf(made: WorkloadCase, scopeCount: number): Scenario {
  const { workload, collection } = made
  const perScope = workload.scopes?.[0]?.items ?? 0
  const scopes = Array.from({ length: scopeCount }, (_, i) => `scope-0000000${i + 1}`)
  const stored = scopes.flatMap((scope, s) =>
    Array.from({ length: perScope }, (_, i) => made.item(s * perScope + i, scope)),
  )
  let next = 0
  const steps = (share: number, step: (i: number) => WriteStep) => ({
    share,
    steps: Array.from({ length: Math.max(LEAST_WRITES, Math.round(WRITES * share)) }, () => step(next++)),
  })
  const { create = 0, delete: deletes = 0, edit = {} } = workload.writes
  return {
    ...{ made, scopes, stored },
    writes: [
      steps(create, (i) => ({ kind: 'create', item: made.item(90_000 + i, scopes[0] ?? '') })),
      steps(deletes, (i) => ({ kind: 'delete', id: String(stored[i]?.id) })),
      ...Object.entries(edit).map(([attribute, share]) =>
        steps(share, (i) => {
          const item = stored[i] as Item
          const isFacet = Object.hasOwn(collection.facets, attribute)
          const value = isFacet ? made.otherValue(attribute, item[attribute]) : `${String(item.text).slice(1)}~`
          return { kind: 'patch', id: String(item.id), patch: { [attribute]: value } }
        }),
      ),
    ],
  }
}

/** Where a workload is measured: a layout, and the indexes that the collection declares. */
export interface Measured {
  readonly layout?: Layout
  readonly indexes: Readonly<Record<string, IndexDeclaration>> | undefined
  /** How items are stored; as they are when not given. */
  readonly codec?: Collection['codec']
}

/** Stores the items, reads first pages and makes the writes. */
export async function measuredLoad(
  engine: TestEngine,
  { made, scopes, stored, writes }: Scenario,
  { layout = indexes(), indexes: declared, codec }: Measured,
): Promise<MeasuredLoad> {
  const collection: Collection = { ...made.collection, indexes: declared, codec }
  await using table = await openTestTable(engine, { things: collection }, { layout })
  const { things } = table.lapidary
  await store(table.client, table.tableName, collection, layout, stored)

  let unitsPerRead = 0
  for (const { share, ...asked } of made.workload.queries) {
    for (const scope of scopes) {
      const { plan } = await things.list({ scope, ...asked } as never)
      unitsPerRead += (share * (plan.actual?.rcu ?? Number.NaN)) / scopes.length
    }
  }

  const units = observeWrites(table.client)
  const isStreamed = things.context.layout.duplicates?.kept === 'stream'
  let unitsPerWrite = 0
  for (const { share, steps } of writes) {
    const before = units.written
    for (const step of steps) {
      if (step.kind === 'create') await things.create(step.item as never)
      else if (step.kind === 'delete') await things.delete(step.id)
      else await things.patch(step.id, step.patch as never)
      // What the change stream would be told of.
      const id = step.kind === 'create' ? String(step.item.id) : step.id
      if (isStreamed) await settleDuplicates(things.context, primaryKey(collection, id).PK)
    }
    unitsPerWrite += (share * (units.written - before)) / steps.length
  }
  return { unitsPerWrite, unitsPerRead }
}

async function store(
  client: DynamoDBClient,
  TableName: string,
  collection: Collection,
  layout: Layout,
  items: readonly Item[],
): Promise<void> {
  const lists = layout.of(collection)
  const codec = createEntryCodec(collection)
  const entries = items.flatMap((item) => lists.entriesOf(item, codec.toEntry(item)))
  for (let i = 0; i < entries.length; i += BATCH) {
    const puts = entries.slice(i, i + BATCH).map((Item: Entry) => ({ PutRequest: { Item: { ...Item } } }))
    await client.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: puts } }))
  }
}
