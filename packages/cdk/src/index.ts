/** @module lapidary-cdk */

export { LapidaryApi } from './api.ts'
export type { ApiProps } from './api-props.ts'
export { type EdgeProps, LapidaryEdge } from './edge.ts'
export type { FunctionConfig } from './functions/open-database.ts'
export { LapidaryTable } from './lapidary-table.ts'
export type { ExistingTable, LapidaryTableProps } from './table-props.ts'
