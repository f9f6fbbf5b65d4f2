import type { CursorCodec } from '../cursor/cursor.ts'
import type { DerivedStates } from '../derived/register/derived-states.ts'
import type { CollectionLayout } from '../layouts/layout.ts'
import type { Collection } from '../model/collection.ts'
import type { EntryReader } from '../model/entry-reader.ts'
import type { Query } from '../model/query.ts'
import type { PageIndex } from '../pages/page-index.ts'
import type { IndexStates } from '../schema/index-states.ts'
import type { KeyRenaming } from '../table/key-names.ts'
import type { TableClient } from '../table/table-client.ts'
import type { AskedTotal } from './asked-total.ts'
import type { FurtherCounts } from './further-counts.ts'
import type { StatisticsReader } from './statistics.ts'

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
  /** Counts of all scopes, and by day, where they are declared and a change stream keeps them. */
  readonly further?: FurtherCounts
  /** Turn page numbers into positions; none where the database keeps none. */
  readonly pages: readonly PageIndex[]
  /** Asks them for a total that the counts can't say; absent where there are none. */
  readonly askLackingTotal?: (context: ReadContext, query: Query) => AskedTotal | undefined
  /** Which indexes lists may be read from, and what else writers keep. */
  readonly states: IndexStates
  /** Renames the keys of the caller's own transactions and events, for a table that has other names for them. */
  readonly renaming?: KeyRenaming | undefined
  readonly maxSources: number
  /** The price of an extra round, in RCU; undefined = the planner's usual price. */
  readonly roundPrice: number | undefined
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Milliseconds on a monotonic clock, for measuring. */
  readonly now: () => number
}
