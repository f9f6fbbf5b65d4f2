import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { createCursorCodec } from '../cursor/cursor.ts'
import { countsShape } from '../derived/counts/counts-shape.ts'
import { createFreshness, type Freshness } from '../derived/freshness.ts'
import { boardShape } from '../derived/leaderboards/leaderboard-keys.ts'
import { createDerivedStates, type DerivedStates } from '../derived/register/derived-states.ts'
import type { Shape } from '../derived/register/shape.ts'
import { duplicatesShape } from '../duplicates/duplicates-shape.ts'
import { keptLists } from '../duplicates/kept-lists.ts'
import { indexes } from '../layouts/indexes/indexes.ts'
import type { Layout } from '../layouts/layout.ts'
import type { Collection } from '../model/collection.ts'
import { createEntryReader } from '../model/entry-reader.ts'
import type { Facets } from '../model/facet.ts'
import { knownOptions, type OptionNames } from '../model/known-options.ts'
import { requireStorable } from '../model/stored-item.ts'
import { MAX_SOURCES } from '../planner/plan-query.ts'
import type { Keyed } from '../schema/expected-keys.ts'
import { createIndexStates, type IndexStates } from '../schema/index-states.ts'
import { type KeyNames, type KeyRenaming, keyRenaming } from '../table/key-names.ts'
import { type Observer, observedBy } from '../table/observer.ts'
import { sleep } from '../table/retrying.ts'
import { createTableClient, type TableClient } from '../table/table-client.ts'
import { requireTableName } from '../table/table-name.ts'
import { type CollectionReader, collectionReader } from './collection-reader.ts'
import type { ReadContext } from './context.ts'
import { furtherShapes } from './further-counts.ts'
import { createStatisticsReader, type StatisticsReader } from './statistics.ts'

/** Any declared collection, whatever its item type. */
export type AnyCollection = Collection<unknown, Facets>

/** Collections by the name that they get in code. */
export type Collections = Readonly<Record<string, AnyCollection>>

/** The options of `createReader`. */
export interface ReaderOptions<C extends Collections> {
  readonly client: DynamoDBClient
  readonly tableName: string
  /**
   * The names of the table's two key attributes, both texts; `PK` and `SK` when not given. So items can lie in a table that another
   * program has: theirs begin with the collection's name in capitals (`COMMENT#…`), and what is kept beside them with `~`.
   */
  readonly keys?: KeyNames
  /** Collections by the name that they get in code. */
  readonly collections: C
  /** Signs cursors: at least 16 characters. Of several, the first signs and all verify, so secrets can be rotated. */
  readonly cursorSecret: string | readonly string[]
  /** How items are put into lists; `indexes()` when not given. */
  readonly layout?: Layout
  readonly derived?: {
    /** Whether the table's change stream is run, here or elsewhere, so that plans and totals may go by counts. False when not given. */
    readonly counts?: boolean
  }
  /** The most lists that one plan reads; 32 when not given. */
  readonly maxSources?: number
  /** The price of an extra round of requests, in RCU; 3 when not given. Higher reads more at once. */
  readonly roundPrice?: number
  /** Milliseconds since 1970; `Date.now` when not given. */
  readonly clock?: () => number
  /** 0 to 1; `Math.random` when not given. For jitter and made ids. */
  readonly random?: () => number
  /** Follow the library's work, for traces and metrics, the outermost first; none when not given. */
  readonly observers?: readonly Observer[]
}

/** The names of {@link ReaderOptions}. */
export const READER_NAMES: OptionNames<ReaderOptions<Collections>> = {
  ...{ client: true, tableName: true, keys: true, collections: true, cursorSecret: true, layout: true, derived: true },
  ...{ maxSources: true, roundPrice: true, clock: true, random: true, observers: true },
}
/** Further options of `createLapidary`, so that both take the same object. */
const OF_WRITERS = { hooks: true, stream: true } as const
const DERIVED_NAMES = { counts: true, pages: true, projections: true } as const
const KEYS_NAMES: OptionNames<KeyNames> = { pk: true, sk: true }

/** A reader for each collection by its name. */
export type Reader<C extends Collections> = {
  readonly [K in keyof C]: C[K] extends Collection<infer I, infer F, infer D> ? CollectionReader<I, F, D> : never
}

/**
 * Connects declared collections to a table, to read it: what a function that lists needs of `createLapidary`, and half the code. Take the
 * declaration from `lapidary/reader` too, so that a bundle has no more than that.
 *
 * @throws {LapidaryError} `declaration_invalid` for a secret that is too short, or a name that no table or attribute can have.
 * @example
 * ```ts run
 * await lapidary.comments.create(comment) // by the functions that write
 * const reader = createReader({ client, tableName, collections: { comments }, cursorSecret })
 * const { items } = await reader.comments.list({ scope: '42', where: { language: 'en', rating: [4, 5] } })
 * ```
 */
export function createReader<const C extends Collections>(options: ReaderOptions<C>): Reader<C> {
  knownOptions('createReader', options, { ...READER_NAMES, ...OF_WRITERS }, 'declaration_invalid')
  knownOptions('derived', options.derived, DERIVED_NAMES, 'declaration_invalid')
  const { contextOf } = connect(options, createFreshness())
  const readers = Object.entries(options.collections).map(
    ([name, collection]) => [name, Object.freeze(collectionReader(contextOf(collection)))] as const,
  )
  return Object.freeze(Object.fromEntries(readers)) as Reader<C>
}

/** A table with what every collection in it is read by. */
export interface Connection {
  /** Renames the table's keys to those of the library. */
  readonly client: DynamoDBClient
  readonly renaming: KeyRenaming | undefined
  readonly table: TableClient
  readonly clock: () => number
  readonly now: () => number
  readonly derivedStates: DerivedStates
  /** The shapes that this process reads or declares: they are kept as long as it looks at their states. */
  readonly used: Shape[]
  readonly contextOf: (collection: AnyCollection) => ReadContext
}

/** @param freshness How far this process has counted, for `asOf`. */
export function connect(options: ReaderOptions<Collections>, freshness: Freshness): Connection {
  const renaming = options.keys && keyRenaming(knownOptions('keys', options.keys, KEYS_NAMES, 'declaration_invalid'))
  const client = renaming?.client(options.client) ?? options.client
  const { clock = Date.now, random = Math.random, derived, roundPrice, maxSources = MAX_SOURCES } = options
  const { layout = indexes(), tableName } = options
  requireTableName(tableName)
  const table = createTableClient({ client, tableName, random, sleep, observe: observedBy(options.observers) })
  const cursors = createCursorCodec(options.cursorSecret)
  const now = (): number => performance.now()
  const used: Shape[] = []
  const derivedStates = createDerivedStates(table, () => used, clock)
  const statesOf = (keyed: Keyed): IndexStates => {
    const states = createIndexStates(table, keyed, clock)
    const duplicates = duplicatesShape(keyed.collection, keyed.layout)
    if (duplicates === undefined) return states
    used.push(duplicates)
    return keptLists(states, keyed.layout, duplicates, derivedStates)
  }
  const contextOf = (collection: AnyCollection): ReadContext => {
    requireStorable(collection)
    const keyed = { collection, layout: layout.of(collection), codec: createEntryReader(collection) }
    const shape = countsShape(collection, keyed.layout)
    const statisticsOf = (of: Shape): StatisticsReader =>
      createStatisticsReader({ collection, shape: of, states: derivedStates, table, clock, freshness })
    const { across, ...byDay } = furtherShapes(collection, keyed.layout)
    if (derived?.counts === true) {
      used.push(...[shape, across, byDay.byDay, byDay.byDayAcross].filter((each) => each !== undefined))
    }
    used.push(...collection.leaderboards.flatMap((board) => boardShape(collection, keyed.layout, board) ?? []))
    return {
      ...keyed,
      pages: [],
      statistics: derived?.counts === true ? statisticsOf(shape) : undefined,
      ...(derived?.counts === true ? { further: { ...byDay, ...(across && { across: statisticsOf(across) }) } } : {}),
      renaming,
      states: statesOf(keyed),
      ...{ table, derivedStates, cursors, maxSources, roundPrice, clock, now },
    }
  }
  return { client, renaming, table, clock, now, derivedStates, used, contextOf }
}
