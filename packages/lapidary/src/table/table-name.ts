import { isDynamoDbName } from '../model/dynamodb-name.ts'
import { LapidaryError, shown } from '../model/errors.ts'

/** @throws {LapidaryError} `declaration_invalid` for what is neither a name that a table can have nor an ARN. */
export function requireTableName(tableName: string): void {
  if (isDynamoDbName(tableName) || tableName.startsWith('arn:')) return
  throw new LapidaryError(
    'declaration_invalid',
    `no table can be called ${shown(tableName)}; a name has 3 to 255 letters, digits, _, - and .`,
  )
}
