import { isDynamoDbName } from '../model/dynamodb-name.ts'
import { LapidaryError, shown } from '../model/errors.ts'

/** An ARN, or CDK's placeholder for a name that it learns when it deploys. */
const STANDS_FOR_A_NAME = ['arn:', '${Token[']

/** @throws {LapidaryError} `declaration_invalid` for a name that no table can have. */
export function requireTableName(tableName: string): void {
  if (isDynamoDbName(tableName) || STANDS_FOR_A_NAME.some((start) => tableName.startsWith(start))) return
  throw new LapidaryError(
    'declaration_invalid',
    `no table can be called ${shown(tableName)}; a name has 3 to 255 letters, digits, _, - and .`,
  )
}
