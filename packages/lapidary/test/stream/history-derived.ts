import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { derivedOf } from '../../src/database/database.ts'
import { collectionProjections } from '../../src/derived/collection-projections.ts'
import { createFreshness } from '../../src/derived/freshness.ts'
import type { Projection } from '../../src/derived/projection.ts'
import type { ShapeState } from '../../src/derived/register/derived-register.ts'
import { createDerivedStates } from '../../src/derived/register/derived-states.ts'
import { createKeptShapes, type KeptShapes } from '../../src/derived/register/kept-shapes.ts'
import { projectionShape } from '../../src/derived/register/shape.ts'
import type { SumProjection } from '../../src/derived/sum-projection.ts'
import { indexes } from '../../src/layouts/indexes/indexes.ts'
import type { Collection } from '../../src/model/collection.ts'
import { openColumnIndex } from '../../src/pages/column-index.ts'
import type { SortedLists } from '../../src/pages/sorted-lists.ts'
import type { DerivedData, Mending } from '../../src/recount/maintenance-options.ts'
import { type MendOptions, type RebuildPlan, rebuild } from '../../src/recount/mend.ts'
import { defineTable } from '../../src/schema/table-definition.ts'
import type { TableClient } from '../../src/table/table-client.ts'
import { historyReviews, SMALL_COLUMNS } from './history-reviews.ts'

const collection = historyReviews as unknown as Collection
const layout = indexes().of(collection)

/** What is counted of the reviews. */
export const historySums: readonly SumProjection[] = collectionProjections(collection, layout)

/** All that is derived from the reviews, as one process keeps it. */
export interface HistoryDerived {
  readonly projections: readonly Projection[]
  readonly shapes: KeptShapes
  readonly columns: SortedLists
  /** What verify and repair take. */
  data(): Promise<DerivedData>
  /** Makes all of it anew. */
  rebuild(options: MendOptions, skips: RebuildPlan['skips']): Promise<Mending>
}

export interface HistoryDerivedOptions {
  readonly table: TableClient
  readonly client: DynamoDBClient
  readonly streams: DynamoDBStreamsClient
  readonly clock: () => number
  readonly listedMs: number
  /** How many times faster than here time passes on AWS's side. */
  readonly speed: number
}

/** As `createLapidary` puts it together, with waits and sizes of a test. */
export function openHistoryDerived(options: HistoryDerivedOptions): HistoryDerived {
  const { table, client, streams, clock, listedMs, speed } = options
  const derivedStates = createDerivedStates(table, () => [], clock)
  const columns = openColumnIndex(collection, { table, clock, derivedStates, sizes: SMALL_COLUMNS })
  const projections = [...historySums, columns.projection]
  const shapes = createKeptShapes({
    ...{ table, states: derivedStates, projections, clock },
    projectionOf: async () => undefined,
  })
  const database = {
    ...{ client, table, definition: defineTable(table.tableName, [layout.indexes]), contexts: [], named: {} },
    ...{ projections, shapes, derivedStates, freshness: createFreshness(), apartFreshness: createFreshness() },
    ...{ stream: { client: streams, listedMs }, clock, now: () => performance.now() },
  }
  const data = (states: readonly ShapeState[]): Promise<DerivedData> =>
    derivedOf(database, { states, compares: () => true })
  return {
    ...{ projections, shapes, columns: columns.lists },
    data: () => data(['ready']),
    async rebuild(mending, skips) {
      const made = historySums.map(projectionShape)
      const keptSince = await shapes.beginFilling(made)
      const { compared: _, ...derived } = await data(['filling', 'ready'])
      const filled = { ...database, streams: async () => streams, now: () => performance.now() * speed }
      const plan = { copies: [columns.projection], filled, skips }
      const mended = await rebuild({ ...derived, keptSince }, mending, plan)
      await shapes.markReady(made, keptSince)
      await shapes.caughtUp()
      return mended
    },
  }
}
