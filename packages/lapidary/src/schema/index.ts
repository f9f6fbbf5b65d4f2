/** @module lapidary/schema */

export { cdkCode } from './cdk.ts'
export { cloudFormationTemplate } from './cloudformation.ts'
export { compareTable, type TableDifference } from './compare-table.ts'
export { createTable, describeTable } from './create-table.ts'
export { createTableInput, requireMultiAttributeKeys, type TableDefinition } from './table-definition.ts'
export { workbenchModel } from './workbench.ts'
