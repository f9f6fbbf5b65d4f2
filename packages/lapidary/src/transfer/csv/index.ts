/** @module lapidary/transfer/csv */

export {
  type Cell,
  type CsvDialect,
  type CsvRecord,
  csvRecords,
  type ReadRecord,
  type RefusedLine,
} from './csv-records.ts'
export { csvRows } from './csv-rows.ts'
