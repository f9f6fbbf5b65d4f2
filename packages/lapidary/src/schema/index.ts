/** @module lapidary/schema */

export { cdkCode } from './cdk.ts'
export { type CloudFormationTemplate, cloudFormationTemplate } from './cloudformation.ts'
export { compareTable, type TableDifference } from './compare-table.ts'
export { createTable, describeTable } from './create-table.ts'
export {
  type RoleName,
  type RoleResource,
  type RoleStatement,
  type RolesOf,
  roleConditions,
  rolesOf,
} from './roles.ts'
export { TABLE_ALARMS, type TableAlarm } from './table-alarms.ts'
export { createTableInput, requireMultiAttributeKeys, type TableDefinition } from './table-definition.ts'
export { type TerraformConfiguration, terraformConfiguration } from './terraform.ts'
export { workbenchModel } from './workbench.ts'
