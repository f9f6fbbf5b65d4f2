/** @module lapidary/transfer/csv */

export { csvRows } from './csv-rows.ts'
