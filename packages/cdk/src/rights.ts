import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { TableDefinition } from 'lapidary'
import { type RoleName, type RoleResource, roleConditions, rolesOf } from 'lapidary/schema'
import type { FunctionConfig } from './functions/open-database.ts'

/** Returns the statements that give a role what it needs on a table, anew for each grantee. */
export type TableRights = (role: RoleName) => PolicyStatement[]

export interface RightsOptions {
  readonly definition: TableDefinition
  readonly config: FunctionConfig
  readonly projectionKeys: readonly string[]
  readonly applicationKeys: readonly string[]
}

/** Makes the rights on a table from the same list that `lapidary table` prints. */
export function rightsOn(table: ITableV2, options: RightsOptions): TableRights {
  const { definition, config, projectionKeys, applicationKeys } = options
  const { tableArn, tableStreamArn = '' } = table
  const { collections, layout } = config
  const roles = rolesOf({ collections, layout, projectionKeys, applicationKeys })
  const arns: Readonly<Record<RoleResource, readonly string[]>> = {
    table: [tableArn],
    indexes: definition.indexes.map(({ name }) => `${tableArn}/index/${name}`),
    stream: [tableStreamArn],
    any: ['*'],
  }
  return (role) =>
    roles[role].map(
      (statement) =>
        new PolicyStatement({
          actions: statement.actions.map((action) => `dynamodb:${action}`),
          resources: statement.on.flatMap((on) => arns[on]),
          conditions: roleConditions(statement) as Record<string, object> | undefined,
        }),
    )
}
