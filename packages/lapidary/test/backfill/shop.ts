import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  type AnyCollection,
  type Collection,
  createLapidary,
  type Facets,
  indexes,
  type Lapidary,
  type Layout,
} from 'lapidary'
import { createTestClient, dropTables, type TestEngine, uniqueTableName } from '../../../../test/engines/index.ts'
import { type Order, orders } from './orders.ts'

/** A hundred seconds are one: what waits until other processes have heard of an index need not take long. */
const START = Date.now()
export const fastClock = (): number => START + (Date.now() - START) * 100

/** One table, and processes with declarations of their own that use it. */
export interface Shop extends AsyncDisposable {
  readonly client: DynamoDBClient
  readonly tableName: string
  process<F extends Facets>(
    collection: Collection<Order, F>,
    client?: DynamoDBClient,
  ): Lapidary<{ orders: Collection<Order, F> }>
}

export async function openShop(
  engine: TestEngine,
  first: AnyCollection = orders,
  layout: Layout = indexes(),
): Promise<Shop> {
  const client = createTestClient(engine)
  const tableName = uniqueTableName()
  const process: Shop['process'] = (collection, sender = client) =>
    createLapidary({
      ...{ client: sender, tableName, collections: { orders: collection }, clock: fastClock, layout },
      cursorSecret: 'a secret of the tests',
    })
  await process(first as Collection<Order, Facets>).table.create()
  return { client, tableName, process, [Symbol.asyncDispose]: () => dropTables(client, [tableName]) }
}
