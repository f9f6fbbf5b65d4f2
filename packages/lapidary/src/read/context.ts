import type { CursorCodec, CursorPoint } from '../cursor/cursor.ts'
import type { DerivedStates } from '../derived/register/derived-states.ts'
import type { Execution } from '../executor/execute.ts'
import type { CollectionLayout } from '../layouts/layout.ts'
import type { Collection } from '../model/collection.ts'
import type { EntryReader } from '../model/entry-reader.ts'
import type { Query } from '../model/query.ts'
import type { ColumnIndex } from '../pages/column-index.ts'
import type { PageIndex } from '../pages/page-index.ts'
import type { ColumnsNode, Plan } from '../planner/plan.ts'
import type { IndexStates } from '../schema/index-states.ts'
import type { KeyRenaming } from '../table/key-names.ts'
import type { TableClient } from '../table/table-client.ts'
import type { AskedTotal } from './asked-total.ts'
import type { CountOptions } from './count-options.ts'
import type { Counts } from './counts.ts'
import type { FurtherCounts } from './further-counts.ts'
import type { Numbering } from './ranked.ts'
import type { StatisticsReader } from './statistics.ts'

/** How a page by columns is read. */
export interface ColumnsOptions {
  /** Where it begins; undefined at the first item. */
  readonly point: CursorPoint | undefined
  readonly signal: AbortSignal | undefined
  /** What is left of a cap. */
  readonly mostRcu: () => number
}

/** Answers by columns. */
export interface ColumnsReading {
  readonly index: ColumnIndex
  /** Runs a plan by columns. */
  run(context: ReadContext, plan: Plan, node: ColumnsNode, options: ColumnsOptions): Promise<Execution>
  /** Numbers pages where no page index does. */
  numbering(context: ReadContext, query: Query): Numbering
  /** Counts what counters can't. */
  count(context: ReadContext, query: Query, options: CountOptions): Promise<Counts>
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
  /** Counts of all scopes, and by day, where they are declared and a change stream keeps them. */
  readonly further?: FurtherCounts
  /** Turn page numbers into positions; none where the database keeps none. */
  readonly pages: readonly PageIndex[]
  /** Finds items by any condition; undefined where the database keeps no columns. */
  readonly columns?: ColumnsReading | undefined
  /** Asks page indexes for a total that the counts can't say; absent where there are none. */
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
