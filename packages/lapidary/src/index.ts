/** @module lapidary */

export type {
  Changes,
  CollectionClient,
  CollectionWrites,
  NewItem,
  WholeItem,
} from './collection-client.ts'
export type { ChangeStream, DeadLetters, HandlerPart, StartOptions } from './database/change-stream.ts'
export type { StreamSettings } from './database/database.ts'
export type { Derived, DerivedState, VerifyOptions } from './database/derived-data.ts'
export type { Filling } from './database/fill-derived.ts'
export { type FollowerReport, MOST_PENDING, type StreamReport } from './database/stream-report.ts'
export type { CreateTableOptions, Table } from './database/table.ts'
export { tableFor } from './declared-table.ts'
export type { Amount, Amounts } from './derived/amount.ts'
export type { Change } from './derived/change.ts'
export type {
  Comparing,
  CopyFinding,
  CopyInspection,
  CopySuspect,
  Difference,
  NotVerified,
} from './derived/copy-inspection.ts'
export type { CopyFilling, CopyProjection, CopySource, CopyState } from './derived/copy-projection.ts'
export type { Projection } from './derived/projection.ts'
export type { ProjectionBase } from './derived/projection-base.ts'
export type { ShapeState } from './derived/register/derived-register.ts'
export type { Contribution, SumProjection } from './derived/sum-projection.ts'
export type { TargetKey } from './derived/target-key.ts'
export {
  createLapidary,
  type DatabaseServices,
  type DerivedOptions,
  type Lapidary,
  type LapidaryOptions,
} from './lapidary.ts'
export { indexes } from './layouts/indexes/indexes.ts'
export type { Layout } from './layouts/layout.ts'
export { type LayoutName, layoutNamed } from './layouts/named.ts'
export { nativeKeys } from './layouts/native-keys/native-keys.ts'
export { type PowerSetSize, powerSetSize } from './layouts/power-set/feasible.ts'
export { type PowerSetOptions, powerSet } from './layouts/power-set/power-set.ts'
export type { SetKeys } from './layouts/power-set/sets.ts'
export type { Refusal } from './layouts/refusal.ts'
export {
  type Collection,
  type CollectionOptions,
  type Declared,
  defineCollection,
  type Item,
  lookup,
  type StoredAttribute,
} from './model/collection.ts'
export type { Condition, Term, Wanted } from './model/condition.ts'
export type { Span } from './model/day.ts'
export type { Entry } from './model/entry-bytes.ts'
export { type InputIssue, LapidaryError, type LapidaryErrorCode, shown } from './model/errors.ts'
export {
  type AnyOf,
  anyOf,
  type EachOf,
  eachOf,
  type Facet,
  type Facets,
  type FacetType,
  type FacetValue,
  hierarchy,
  MOST_ITEM_VALUES,
  type NumberRange,
  type OneOf,
  oneOf,
  type TextRange,
  type ValueRange,
} from './model/facet.ts'
export type { ComputedValue, FacetPath, Origin, OriginOptions } from './model/facet-origin.ts'
export type { Beginning, HeldValues, Where } from './model/facet-types.ts'
export { type Increment, type IncrementOptions, increment } from './model/increment.ts'
export type { Around, IndexDeclaration } from './model/index-declaration.ts'
export { indexWarnings } from './model/index-warnings.ts'
export type { Leaderboard, LeaderboardOptions, Ranking } from './model/leaderboard.ts'
export type { NumberKind } from './model/native-value.ts'
export type { Order, OrderType } from './model/order.ts'
export type { PagesDeclaration } from './model/page-declaration.ts'
export type { Bound, OrderValue, Position, Range } from './model/position.ts'
export {
  DEFAULT_LIMIT,
  type Filter,
  type ListOrder,
  MAX_LIMIT,
  parseQuery,
  type Query,
  type QueryInput,
} from './model/query.ts'
export type { WhereInput } from './model/read-condition.ts'
export type { AskedOfFacet } from './model/read-terms.ts'
export type { Days, DaysOptions, Statistics, StatisticsOptions } from './model/statistics-declaration.ts'
export type { UnknownReason } from './model/unknown-reason.ts'
export type { UnreadableAttribute } from './model/unreadable-item.ts'
export type { DeclaredBy, Paged } from './model/written-out.ts'
export type { CollectionContext, WithContext } from './operations/context.ts'
export type { CreateOptions, PlannedCreateOptions } from './operations/create.ts'
export type { DeleteAllOptions, DeleteAllProgress, DeletedAll } from './operations/delete-all.ts'
export type { PlannedWrites } from './operations/planned-writes.ts'
export type { ChangeOptions, PatchOptions } from './operations/preconditions.ts'
export { sortableId } from './operations/sortable-id.ts'
export type { HookedWrite, WriteHooks } from './operations/write-hooks.ts'
export type { Place } from './pages/place.ts'
export type {
  ListChange,
  ListEntry,
  ListStep,
  ListsFilling,
  ListsInspection,
  ListsState,
  LookUpPrice,
  LookUpShape,
  PageStore,
  PageStoreContext,
  RankAnswer,
  RankQuestion,
  SortedLists,
} from './pages/sorted-lists.ts'
export { segments } from './pages/stores/dynamodb/dynamodb-lists.ts'
export { type PageMarkersOptions, pageMarkers } from './pages/stores/markers/page-markers.ts'
export type { Actual } from './planner/actual.ts'
export type { ExplainedNode, ExplainedPlan, NodeActual, PageLookUp } from './planner/explain.ts'
export type { EmptyReason, Plan, PlanEstimate, RejectedPlan } from './planner/plan.ts'
export { type PlanNote, unknownText } from './planner/plan-note.ts'
export type { AttributesOption, Chosen } from './read/chosen-attributes.ts'
export type { CollectionReader } from './read/collection-reader.ts'
export type { CountOptions } from './read/count-options.ts'
export type { CountedPart, Counts, Summed } from './read/counts.ts'
export type { Having } from './read/having.ts'
export type { IterateOptions } from './read/iterate.ts'
export type { LeaderboardEntry, LeaderboardPage, LeaderboardQuery } from './read/leaderboard.ts'
export type { ListOptions } from './read/list-options.ts'
export type { ListQuery, PageQuery, RangeValue, SelectedItems } from './read/list-query.ts'
export type { PageWithParent } from './read/list-with-parent.ts'
export type { Page } from './read/page.ts'
export type { AnyCollection, Collections, ReaderOptions } from './read/reader.ts'
export type { SeriesOptions } from './read/series-options.ts'
export type { CopiesFilled, FillOptions } from './recount/fill-copies.ts'
export type {
  ItemProblem,
  MaintenanceOptions,
  MaintenanceProgress,
  Mending,
  Verification,
} from './recount/maintenance-options.ts'
export type { MendOptions } from './recount/mend.ts'
export type { IndexState } from './schema/list-index-states.ts'
export type { TableDefinition } from './schema/table-definition.ts'
export type { DeadLetter } from './stream/dead-letters.ts'
export type { LambdaStreamRecord, StreamEvent, StreamEventResponse, StreamHandlerOptions } from './stream/lambda.ts'
export type { Poller, PollerStatus, ShardStatus } from './stream/poller.ts'
export type { Runner } from './stream/runner.ts'
export type { CapacityBudget } from './table/capacity-budget.ts'
export { databaseError } from './table/database-error.ts'
export { isDiskFull } from './table/error-meaning.ts'
export type { KeyNames } from './table/key-names.ts'
export {
  type BatchWork,
  type CommandWork,
  type CommitWork,
  type Figures,
  type Observe,
  type Observer,
  type OperationWork,
  observedBy,
  type PlanWork,
  type RequestWork,
  type RoundWork,
  type StepWork,
  type Work,
} from './table/observer.ts'
export type { TableClient } from './table/table-client.ts'
export type {
  Backfill,
  BackfilledCollection,
  BackfillOptions,
  BackfillProgress,
  UnfitItem,
} from './transfer/backfill-options.ts'
export type { ScanOptions, ScanProgress } from './transfer/scan-index.ts'
