import type { CursorCodec } from '../cursor/cursor.ts'
import type { DerivedStates } from '../derived/register/derived-states.ts'
import type { CollectionLayout } from '../layouts/layout.ts'
import type { Collection } from '../model/collection.ts'
import type { EntryCodec } from '../model/entry.ts'
import type { EntryReader } from '../model/entry-reader.ts'
import type { Query } from '../model/query.ts'
import type { PageIndex } from '../pages/page-index.ts'
import type { PageLookUp } from '../planner/explain.ts'
import { type IndexStates, layoutKeeping } from '../schema/index-states.ts'
import type { KeyRenaming } from '../table/key-names.ts'
import type { TableClient } from '../table/table-client.ts'
import type { WriteContext } from '../writes/item-writes.ts'
import type { StatisticsReader } from './statistics.ts'
import type { WriteHooks } from './write-hooks.ts'

/** What a page index says of a whole query, and what asking took. */
export interface IndexedTotal extends PageLookUp {
  readonly total: number
  readonly asOf?: number | undefined
}

/** Everything that reading one collection needs; made once by `createReader`. */
export interface ReadContext<I = unknown> {
  readonly collection: Collection<I>
  readonly layout: CollectionLayout
  readonly codec: EntryReader
  readonly table: TableClient
  readonly cursors: CursorCodec
  /** Whether what is derived is known. */
  readonly derivedStates: DerivedStates
  /** Counts of scopes, where a change stream keeps them. */
  readonly statistics: StatisticsReader | undefined
  /** Turn page numbers into positions; none where the database keeps none. */
  readonly pages: readonly PageIndex[]
  /** Asks them for a total that the counts can't say; absent where there are none. */
  readonly askLackingTotal?: (context: ReadContext, query: Query) => Promise<IndexedTotal | undefined> | undefined
  /** Which indexes lists may be read from, and what else writers keep. */
  readonly states: IndexStates
  /** What the caller's own transactions and events go through, where the table has other names for its keys. */
  readonly renaming?: KeyRenaming | undefined
  /** What happens around writes. */
  readonly hooks: WriteHooks | undefined
  readonly maxSources: number
  /** What an extra round is worth, in RCU; undefined = the planner's usual price. */
  readonly roundPrice: number | undefined
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Milliseconds on a monotonic clock, for measuring. */
  readonly now: () => number
}

/** Everything that an operation on one collection needs; made once by `createLapidary`. */
export interface CollectionContext<I = unknown> extends ReadContext<I> {
  readonly codec: EntryCodec
  /** Makes all that is derived of the table, from one scan; absent where nothing is. */
  readonly makeDerived?: (options: { readonly signal?: AbortSignal }) => Promise<void>
}

/** A client of a collection, of which only the context is needed. */
export interface WithContext<I = unknown> {
  readonly context: CollectionContext<I>
}

/** Of a context what the write path needs, with what the table knows beyond the declaration. */
export async function writeContext({
  collection,
  layout,
  codec,
  table,
  states,
}: Pick<CollectionContext, 'collection' | 'layout' | 'codec' | 'table' | 'states'>): Promise<WriteContext> {
  const kept = await states.kept()
  return { collection, layout: layoutKeeping(layout, kept), codec, tableName: table.tableName, kept }
}
