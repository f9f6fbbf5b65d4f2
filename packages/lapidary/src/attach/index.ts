/** @module lapidary/attach */

export type { KeyTemplate } from '../layouts/key-templates/key-template.ts'
export { type Attached, type AttachedClient, type AttachOptions, attach } from './attach.ts'
export type { AttachedTable } from './attached-table.ts'
export type { Attachment, Attachments } from './attachment.ts'
export { fromDynamoDbToolbox, type ToolboxEntity } from './dynamodb-toolbox.ts'
export { type ElectroEntity, type ElectroSchema, fromElectroDb } from './electrodb.ts'
export type { EntityOptions } from './entity.ts'
