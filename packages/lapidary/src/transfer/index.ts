/** @module lapidary/transfer */

export { type ExportOptions, exportItems, exportLines, jsonLine } from './export-items.ts'
export type { OnConflict } from './import-insert.ts'
export {
  type ImportOptions,
  type ImportProgress,
  type ImportResult,
  importItems,
  importRecords,
} from './import-items.ts'
export { jsonLines } from './import-lines.ts'
export { IMPORT_START, type ImportCheckpoint } from './import-progress.ts'
export type { ImportRecord } from './import-record.ts'
export type { TextReading } from './import-texts.ts'
export { type InputNames, inputNames } from './input-names.ts'
