export { type ChangeStreamOptions, projectionsOf, runnerFor, startChangeStream } from './change-stream.ts'
export type { CollectionClient, ListQuery } from './collection-client.ts'
export type { Actual } from './executor/execute.ts'
export {
  type AnyCollection,
  createLapidary,
  type Lapidary,
  type LapidaryOptions,
  type LayoutName,
  tableFor,
} from './lapidary.ts'
export type { Difference } from './maintenance/difference.ts'
export { type ExportOptions, exportItems, jsonLine } from './maintenance/export-items.ts'
export { type ImportOptions, type ImportProgress, type ImportResult, importItems } from './maintenance/import-items.ts'
export type { ImportCheckpoint } from './maintenance/import-progress.ts'
export type { ImportRecord } from './maintenance/import-record.ts'
export type {
  MaintenanceOptions,
  MaintenanceProgress,
  Mending,
  Verification,
} from './maintenance/maintenance-options.ts'
export { type MendOptions, rebuildStatistics, repairStatistics } from './maintenance/mend-statistics.ts'
export { verifyStatistics } from './maintenance/verify-statistics.ts'
export {
  type Collection,
  type CollectionOptions,
  defineCollection,
  type IndexDeclaration,
  type Item,
  type Leaderboard,
  type LeaderboardOptions,
  lookup,
  type Order,
  type OrderType,
  type StoredAttribute,
} from './model/collection.ts'
export { type InputIssue, LapidaryError, type LapidaryErrorCode } from './model/errors.ts'
export {
  type AnyOf,
  anyOf,
  type Facet,
  type Facets,
  type FacetValue,
  type OneOf,
  oneOf,
  type Where,
} from './model/facet.ts'
export { DEFAULT_LIMIT, type ListOrder, MAX_LIMIT } from './model/query.ts'
export type { ChangeOptions } from './operations/change.ts'
export type { CollectionContext } from './operations/context.ts'
export type { Counts } from './operations/count.ts'
export type { CreateOptions } from './operations/create.ts'
export type { ExplainedNode, ExplainedPlan, NodeActual } from './operations/explained-plan.ts'
export type { LeaderboardPage, LeaderboardQuery } from './operations/leaderboard.ts'
export type { ListOptions, Page } from './operations/list.ts'
export { sortableId } from './operations/sortable-id.ts'
export type { Plan, PlanEstimate, RejectedPlan } from './planner/plan.ts'
export { createFreshness, type Freshness } from './streams/freshness.ts'
export {
  createStreamHandler,
  type LambdaStreamRecord,
  type StreamEvent,
  type StreamEventResponse,
  type StreamHandlerOptions,
  streamFilterPatterns,
} from './streams/lambda.ts'
export { countPoison, discardPoison, type Image, listPoison, type PoisonRecord } from './streams/poison.ts'
export type { Poller, PollerStatus } from './streams/poller.ts'
export { type PoisonReplay, replayPoison } from './streams/replay-poison.ts'
export type { Runner } from './streams/runner.ts'
export { createTable } from './table/create-table.ts'
export { isDiskFull } from './table/table-client.ts'
export { createTableInput, type TableDefinition } from './table/table-definition.ts'
