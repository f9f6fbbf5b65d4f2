import { setTimeout as sleep } from 'node:timers/promises'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { type CollectionClient, collectionClient } from './collection-client.ts'
import { createCursorCodec } from './cursor/cursor.ts'
import { indexesLayout } from './layouts/indexes/indexes-layout.ts'
import type { LayoutFactory } from './layouts/layout.ts'
import type { Collection } from './model/collection.ts'
import { LapidaryError } from './model/errors.ts'
import type { Facets } from './model/facet.ts'
import type { CollectionContext } from './operations/context.ts'
import { createStatisticsReader } from './operations/statistics.ts'
import { MAX_SOURCES } from './planner/plan-query.ts'
import { createFreshness, type Freshness } from './streams/freshness.ts'
import { createEntryCodec } from './table/entry.ts'
import { createTableClient } from './table/table-client.ts'
import { defineTable, type TableDefinition } from './table/table-definition.ts'

/** How a collection's items can be put into lists. */
export type LayoutName = 'indexes' | 'power-set' | 'native-keys'

/** Any declared collection, whatever its item type. */
export type AnyCollection = Collection<unknown, Facets>

export interface LapidaryOptions<C extends Readonly<Record<string, AnyCollection>>> {
  readonly client: DynamoDBClient
  readonly tableName: string
  /** Collections by the name that they get in code. */
  readonly collections: C
  /** Signs cursors: at least 16 characters. Of several, the first signs and all verify, so secrets can be rotated. */
  readonly cursorSecret: string | readonly string[]
  readonly layout?: LayoutName
  /** Whether the table's change stream is run (a poller, the Lambda handler), so that counts exist. False when not given. */
  readonly statistics?: boolean
  /** Shared with a poller of the same process, it lets plans skip lists that are counted empty. */
  readonly freshness?: Freshness
  /** The most lists that one plan reads; 32 when not given. */
  readonly maxSources?: number
  /** What an extra round of requests is worth, in RCU; 3 when not given. Higher reads more at once. */
  readonly roundPrice?: number
  /** Milliseconds since 1970; `Date.now` when not given. */
  readonly clock?: () => number
  /** 0 to 1; `Math.random` when not given. For jitter and made ids. */
  readonly random?: () => number
}

/** One client for each collection, by its name. */
export type Lapidary<C extends Readonly<Record<string, AnyCollection>>> = {
  readonly [K in keyof C]: C[K] extends Collection<infer I, infer F> ? CollectionClient<I, F> : never
}

const LAYOUTS: Readonly<Partial<Record<LayoutName, LayoutFactory>>> = { indexes: indexesLayout }

/**
 * Connects declared collections to a table. Nothing is read or written until an operation is called.
 *
 * @throws {LapidaryError} `declaration_invalid` when collections would meet in one table, or a secret is too short.
 * @example
 * ```ts
 * const lapidary = createLapidary({ client, tableName: 'comments', collections: { comments }, cursorSecret })
 * const page = await lapidary.comments.list({ scope: '42', where: { language: 'en', rating: [4, 5] } })
 * ```
 */
export function createLapidary<const C extends Readonly<Record<string, AnyCollection>>>(
  options: LapidaryOptions<C>,
): Lapidary<C> {
  const { clock = Date.now, random = Math.random, freshness = createFreshness() } = options
  const { maxSources = MAX_SOURCES, roundPrice } = options
  requireApart(Object.values(options.collections))
  const table = createTableClient({ client: options.client, tableName: options.tableName, random, sleep })
  const cursors = createCursorCodec(options.cursorSecret)
  const layoutOf = layoutFactory(options.layout)
  const clients = Object.entries(options.collections).map(([name, collection]) => {
    const context: CollectionContext = {
      collection,
      statistics:
        options.statistics === true ? createStatisticsReader({ collection, table, clock, freshness }) : undefined,
      layout: layoutOf(collection),
      codec: createEntryCodec(collection),
      table,
      cursors,
      maxSources,
      roundPrice,
      clock,
      now: () => performance.now(),
    }
    return [name, collectionClient(context)]
  })
  return Object.freeze(Object.fromEntries(clients)) as Lapidary<C>
}

/** The table that the collections need, for `createTable` and the exports. */
export function tableFor(
  options: Pick<LapidaryOptions<Readonly<Record<string, AnyCollection>>>, 'tableName' | 'collections' | 'layout'>,
): TableDefinition {
  const layoutOf = layoutFactory(options.layout)
  return defineTable(
    options.tableName,
    Object.values(options.collections).map((collection) => layoutOf(collection).indexes),
  )
}

function layoutFactory(name: LayoutName = 'indexes'): LayoutFactory {
  const factory = LAYOUTS[name]
  if (factory === undefined) {
    throw new LapidaryError(
      'not_implemented',
      `the layout ${name} is not available yet; use ${Object.keys(LAYOUTS).join(', ')}`,
    )
  }
  return factory
}

/** Keys of a collection begin with its own name and its scope's; two with the same would meet. */
function requireApart(collections: readonly AnyCollection[]): void {
  const owners = new Map<string, string>()
  for (const { name, scope } of collections) {
    for (const prefix of [name, scope.name]) {
      const owner = owners.get(prefix)
      if (owner !== undefined) {
        throw new LapidaryError(
          'declaration_invalid',
          `${owner} and ${name} both have keys that begin with ${prefix}; rename one, or give it a table of its own`,
        )
      }
      owners.set(prefix, name)
    }
  }
}
