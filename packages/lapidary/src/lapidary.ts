import { type CollectionClient, collectionClient } from './collection-client.ts'
import { type ChangeStream, changeStreamOf } from './database/change-stream.ts'
import type { Database, StreamSettings } from './database/database.ts'
import { type Derived, derivedDataOf } from './database/derived-data.ts'
import { type Table, tableOf } from './database/table.ts'
import { declaredTable, type SERVICES } from './declared-table.ts'
import {
  collectionProjections,
  EVERYTHING,
  LIBRARY_SUMS,
  STATISTICS,
  sumsOfShape,
} from './derived/collection-projections.ts'
import { createFreshness } from './derived/freshness.ts'
import type { Projection } from './derived/projection.ts'
import { createKeptShapes } from './derived/register/kept-shapes.ts'
import { duplicatesProjection } from './duplicates/duplicates-projection.ts'
import { DUPLICATES } from './duplicates/duplicates-shape.ts'
import type { Collection } from './model/collection.ts'
import { createEntryCodec } from './model/entry.ts'
import { LapidaryError } from './model/errors.ts'
import type { Facets } from './model/facet.ts'
import { knownOptions, type OptionNames } from './model/known-options.ts'
import type { CollectionContext } from './operations/context.ts'
import type { WriteHooks } from './operations/write-hooks.ts'
import { openColumnIndex } from './pages/column-index.ts'
import { COLUMNS, columnsOfShape } from './pages/keep-columns.ts'
import { followerOf, PAGES, pagesOfShape } from './pages/keep-pages.ts'
import { listsOf } from './pages/kept-lists.ts'
import { openPageIndexes, type PageIndex } from './pages/page-index.ts'
import type { PageStore } from './pages/sorted-lists.ts'
import { columnsReading } from './read/columns-reading.ts'
import type { ColumnsReading } from './read/context.ts'
import { askLackingTotal } from './read/indexed-total.ts'
import { type AnyCollection, type Collections, connect, READER_NAMES, type ReaderOptions } from './read/reader.ts'
import type { KeyNames } from './table/key-names.ts'

/** What is kept beside the items, from the table's change stream. */
export interface DerivedOptions {
  /**
   * Whether the change stream is run (`stream.start()`, or the handler on Lambda), so that plans and totals may go by counts.
   * False when not given.
   */
  readonly counts?: boolean
  /** Where page numbers come from: `segments()` keeps them in the table. Without it pages have cursors only. */
  readonly pages?: PageStore
  /**
   * Whether each facet has a column in the table, by which any condition over any number of facets is answered and counted. False when not
   * given.
   */
  readonly columns?: boolean
  /** Projections of your own, beside counts and leaderboards: sums in the table, and copies in it or in other stores. */
  readonly projections?: readonly Projection[]
}

/** What `createLapidary` takes. */
export interface LapidaryOptions<C extends Collections> extends ReaderOptions<C> {
  /** Collections by the name that they get in code; not `stream`, `derived` or `table`. */
  readonly collections: C
  readonly derived?: DerivedOptions
  /** What happens around writes, by the collection's name in code. */
  readonly hooks?: { readonly [K in keyof C]?: C[K] extends Collection<infer I, Facets> ? WriteHooks<I> : never }
  readonly stream?: StreamSettings
}

const NAMES: OptionNames<LapidaryOptions<Collections>> = { ...READER_NAMES, derived: true, hooks: true, stream: true }
const DERIVED_NAMES: OptionNames<DerivedOptions> = {
  ...{ counts: true, pages: true, columns: true, projections: true },
}
const STREAM_NAMES: OptionNames<StreamSettings> = { client: true, immediate: true, listedMs: true }
const HOOK_NAMES: OptionNames<WriteHooks> = { beforeWrite: true, afterWrite: true }

function requireKnown({ collections, hooks = {}, derived, stream, ...rest }: LapidaryOptions<Collections>): void {
  const known = (what: string, given: object | undefined, names: Readonly<Record<string, true>>): unknown =>
    knownOptions(what, given, names, 'declaration_invalid')
  known('createLapidary', rest, NAMES)
  known('derived', derived, DERIVED_NAMES)
  known('stream', stream, STREAM_NAMES)
  known('hooks', hooks, Object.fromEntries(Object.keys(collections).map((name) => [name, true])))
  for (const [name, each] of Object.entries(hooks)) known(`hooks.${name}`, each, HOOK_NAMES)
}

/** What one database has beside its collections. */
export interface DatabaseServices {
  readonly stream: ChangeStream
  readonly derived: Derived
  readonly table: Table
}

/** Key names of which it is known that they are one are refused. */
type TwoNames<K extends KeyNames> = string extends K['pk' | 'sk']
  ? unknown
  : K['sk'] extends K['pk']
    ? { readonly sk: 'another name than pk' }
    : unknown

/** One database: a client for each collection by its name, and what is there once for all of them. */
export type Lapidary<C extends Collections> = {
  readonly [K in keyof C]: C[K] extends Collection<infer I, infer F, infer D> ? CollectionClient<I, F, D> : never
} & DatabaseServices

/**
 * Connects declared collections to a table. Nothing is read or written until an operation is called.
 *
 * @throws {LapidaryError} `declaration_invalid` when collections would meet in one table, or a secret is too short.
 * @example
 * ```ts run
 * const lapidary = createLapidary({ client, tableName, collections: { comments }, cursorSecret })
 * await lapidary.table.create()
 * const page = await lapidary.comments.list({ scope: '42', where: { language: 'en', rating: [4, 5] } })
 * ```
 */
export function createLapidary<const C extends Collections, const K extends KeyNames = KeyNames>(
  options: LapidaryOptions<C> & { readonly keys?: K & TwoNames<K> },
): Lapidary<C> {
  requireKnown(options as LapidaryOptions<Collections>)
  const { stream = {}, derived = {} } = options
  const definition = declaredTable(options)
  const freshness = createFreshness()
  const apartFreshness = createFreshness()
  const { client, renaming, table, clock, now, derivedStates, used, contextOf } = connect(options, freshness)
  requireDistinct(options.collections, derived.projections ?? [])
  const pagesOf = (collection: AnyCollection): readonly PageIndex[] => {
    if (derived.pages === undefined) return []
    const follower = followerOf(derived.pages, Object.values(options.collections))
    const context = { table, clock, derivedStates, follower, freshness: apartFreshness }
    return openPageIndexes(derived.pages, collection, context)
  }
  const columnsOf = (collection: AnyCollection): ColumnsReading | undefined =>
    derived.columns === true ? columnsReading(openColumnIndex(collection, { table, clock, derivedStates })) : undefined
  const contexts = Object.entries(options.collections).map(([name, collection]) => {
    const hooks = options.hooks?.[name] as WriteHooks | undefined
    const makeDerived: CollectionContext['makeDerived'] = async (how) =>
      void (await services.derived.rebuild(EVERYTHING, how))
    const beyondReading = {
      ...{ codec: createEntryCodec(collection), pages: pagesOf(collection), askLackingTotal, hooks, makeDerived },
      columns: columnsOf(collection),
    }
    return [name, { ...contextOf(collection), ...beyondReading }] as const
  })
  const projections: readonly Projection[] = [
    ...contexts.flatMap(([, { collection, layout: lists }]) => collectionProjections(collection, lists)),
    ...(derived.projections ?? []),
    ...contexts.flatMap(([, context]) => listsOf(context).map(({ projection }) => projection)),
    ...contexts.map(([, context]) => duplicatesProjection(context)),
  ]
  const shapes = createKeptShapes({
    ...{ table, states: derivedStates, projections, clock },
    projectionOf: async (shape) => {
      const own = Object.values(options.collections)
      const context = { table, clock, own }
      return sumsOfShape(shape, own) ?? columnsOfShape(shape, context) ?? pagesOfShape(shape, context)
    },
  })
  used.push(...shapes.own)
  const database: Database = {
    ...{ client, renaming, table, definition, freshness, apartFreshness, stream, clock, now },
    contexts: contexts.map(([, context]) => context),
    named: Object.fromEntries(contexts),
    ...{ projections, derivedStates, shapes },
  }
  const services: DatabaseServices & Readonly<Record<(typeof SERVICES)[number], object>> = {
    stream: changeStreamOf(database),
    derived: derivedDataOf(database),
    table: tableOf(database),
  }
  const clients = contexts.map(([name, context]) => [name, collectionClient(context)] as const)
  return Object.freeze({ ...Object.fromEntries(clients), ...services }) as Lapidary<C>
}

const LIBRARY_NAMES: readonly string[] = [
  ...LIBRARY_SUMS,
  PAGES,
  COLUMNS,
  DUPLICATES,
  STATISTICS,
  EVERYTHING,
  'keys',
  'values',
]

/** Rebuild and repair go by the names of projections, and by which collection they follow. */
function requireDistinct(collections: Collections, projections: readonly Projection[]): void {
  const declared = Object.values(collections).map(({ name }) => name)
  const seen = new Set<string>()
  for (const { name, collection } of projections) {
    const full = `${name} of ${collection}`
    if (!declared.includes(collection)) {
      throw new LapidaryError(
        'declaration_invalid',
        `the projection ${full} follows a collection that is not declared; there are ${declared.join(', ')}`,
      )
    }
    if (LIBRARY_NAMES.includes(name) || seen.has(full)) {
      throw new LapidaryError('declaration_invalid', `there are two projections ${full}; rename one`)
    }
    seen.add(full)
  }
}
