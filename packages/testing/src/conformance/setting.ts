import { randomBytes } from 'node:crypto'
import { DeleteTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { type CollectionClient, createLapidary, type Facets, type Item, type Layout } from 'lapidary'
import { primaryKey, settleDuplicates } from 'lapidary/internal'
import { type CaseCollection, type CollectionCase, collectionOf, type IndexCases } from '../arbitraries/collections.ts'
import { beforeQueries } from '../faults/intercept.ts'
import { createOracle, type Oracle } from '../oracle.ts'

/** One table with a made-up collection, and the oracle with the same items. */
export interface Setting {
  readonly tableName: string
  readonly things: CollectionClient<Item, Facets>
  readonly oracle: Oracle<Item>
  /** Returns a client of the same table through another SDK client, one that injects faults. */
  through(client: DynamoDBClient): CollectionClient<Item, Facets>
}

const CURSOR_SECRET = 'conformance conformance'

/**
 * Wraps a client so that its writes return when the duplicates that the layout leaves to the change stream are kept; this stands in for the
 * stream.
 */
function withStream(things: CollectionClient<Item, Facets>): CollectionClient<Item, Facets> {
  const { context } = things
  if (context.layout.duplicates?.kept !== 'stream') return things
  const settled = (id: unknown): Promise<number> =>
    settleDuplicates(context, primaryKey(context.collection, String(id)).PK)
  return {
    ...things,
    async create(item, options) {
      const created = await things.create(item, options)
      await settled(created.id)
      return created
    },
    async patch(id, changes, options) {
      const patched = await things.patch(id, changes, options)
      await settled(id)
      return patched
    },
    async delete(id, options) {
      await things.delete(id, options)
      await settled(id)
    },
  }
}

/** The most queries of one page: each query evaluates an item or ends a list, so a page of these few items that takes more goes round in circles. */
const MOST_QUERIES_OF_A_PAGE = 500

/** Runs a test on a table of its own, filled with items, and removes it. */
export async function withSetting(
  client: DynamoDBClient,
  made: CollectionCase,
  items: readonly Item[],
  layout: Layout,
  test: (setting: Setting) => Promise<void>,
  indexes: IndexCases = made.indexes,
): Promise<void> {
  const declared = layout.capabilities.declaredIndexes ? indexes : undefined
  const collection: CaseCollection = collectionOf(made, declared)
  const tableName = `conformance-${randomBytes(8).toString('hex')}`
  const collections = { things: collection }
  const through = (sender: DynamoDBClient): CollectionClient<Item, Facets> => {
    let queries = 0
    const countQuery = (): void => {
      queries++
      if (queries > MOST_QUERIES_OF_A_PAGE) throw new Error(`a page took more than ${MOST_QUERIES_OF_A_PAGE} queries`)
    }
    const { things } = createLapidary({
      client: beforeQueries(sender, countQuery),
      tableName,
      collections,
      cursorSecret: CURSOR_SECRET,
      layout,
      maxSources: made.maxSources,
      // Retries do not wait: injected throttles are over at once.
      random: () => 0,
    })
    return {
      ...withStream(things),
      list: (query) => {
        queries = 0
        return things.list(query)
      },
    }
  }
  await createLapidary({ client, tableName, collections, cursorSecret: CURSOR_SECRET, layout }).table.create()
  try {
    const things = through(client)
    const oracle = createOracle<Item>(collection)
    for (let i = 0; i < items.length; i += 16) {
      await Promise.all(
        items.slice(i, i + 16).map(async (item) => {
          await things.create(item)
          oracle.put(item)
        }),
      )
    }
    await test({ tableName, things, oracle, through })
  } finally {
    await client.send(new DeleteTableCommand({ TableName: tableName })).catch((error: Error) => {
      // A try whose answer was lost has dropped it.
      if (error.name !== 'ResourceNotFoundException') throw error
    })
  }
}
