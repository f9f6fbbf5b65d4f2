import { LapidaryError, shown } from '../model/errors.ts'

/** A name, or the ARN of a table. */
const TABLE_NAME = /^([\w.-]{3,255}|arn:[\w:./-]+)$/

/** @throws {LapidaryError} `declaration_invalid` for a name that no table can have. */
export function requireTableName(tableName: string): void {
  if (TABLE_NAME.test(tableName)) return
  throw new LapidaryError(
    'declaration_invalid',
    `no table can be called ${shown(tableName)}; a name has 3 to 255 letters, digits, _, - and .`,
  )
}
