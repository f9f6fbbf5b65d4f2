import type { Item } from '../model/collection.ts'
import { LapidaryError } from '../model/errors.ts'
import type { Facets } from '../model/facet.ts'
import type { OrderType } from '../model/order.ts'
import type { Attachment } from './attachment.ts'
import { type EntityAttribute, type EntityCollection, type EntityOptions, entityAttachment } from './entity.ts'

/** The part of a DynamoDB-Toolbox entity (version 2) that lists need. */
export interface ToolboxEntity {
  readonly entityName: string
  /** The entity attribute, unless the items do not name their entity. */
  readonly entityAttribute: unknown
  readonly table?: { readonly entityAttributeSavedAs: string } | undefined
  readonly schema: { readonly attributes: Readonly<Record<string, ToolboxAttribute>> }
}

/** The part of an attribute that lists need. */
interface ToolboxAttribute {
  readonly type: string
  readonly props: object
}

/** The properties of an attribute that are read; their types differ. */
interface ToolboxProps {
  readonly savedAs?: string
  readonly hidden?: boolean
  readonly enum?: readonly unknown[]
}

/**
 * Makes an attachment that lists the items of a DynamoDB-Toolbox entity. The entity attribute comes first in each index, so that other entities
 * of the table cost nothing; it takes one of the index's eight key attributes. Items come as they are stored, under the entity's names: the
 * entity's transformers are not run.
 *
 * @throws {LapidaryError} `declaration_invalid` for an attribute that the entity does not have, or where its items do not name their entity and
 * no `kind` is given.
 * @example
 * ```ts run
 * // new Entity({ … }) of DynamoDB-Toolbox has these
 * const [text, number] = [{ type: 'string', props: {} }, { type: 'number', props: {} }]
 * const attributes = { orderId: text, customerId: text, total: number, status: text, channel: text }
 * const entity = { entityName: 'ORDER', entityAttribute: true, schema: { attributes } }
 *
 * const orders = fromDynamoDbToolbox(entity, {
 *   name: 'ORDER',
 *   id: 'orderId',
 *   scope: { name: 'CUSTOMER', attribute: 'customerId' },
 *   order: { attribute: 'total', type: 'number' },
 *   facets: { status: anyOf(['NEW', 'PAID', 'SENT']), channel: oneOf() },
 * })
 * const shop = attach({ client, tableName, collections: { orders }, cursorSecret })
 * ```
 */
export function fromDynamoDbToolbox<const F extends Facets, const T extends OrderType, I = Item>(
  entity: ToolboxEntity,
  options: EntityOptions<I, F, T>,
): Attachment<EntityCollection<I, F, T>> {
  const { entityName, entityAttribute, table, schema } = entity
  const title = `the DynamoDB-Toolbox entity ${entityName}`
  if (entityAttribute === false && options.kind === undefined) {
    throw new LapidaryError(
      'declaration_invalid',
      `${title} writes no entity attribute, so nothing tells its items from others; give kind, or kind: {} where no other item of the table has the attributes of the lists`,
    )
  }
  const attributes = Object.entries(schema.attributes).map(([name, { type, props }]): [string, EntityAttribute] => {
    const { savedAs = name, hidden = false, enum: values } = props as ToolboxProps
    return [name, { stored: savedAs, hidden, type: toolboxType(type), values }]
  })
  return entityAttachment(
    {
      title,
      attributes: Object.fromEntries(attributes),
      kind: { [table?.entityAttributeSavedAs ?? '_et']: entityName },
    },
    options,
  )
}

function toolboxType(type: string): EntityAttribute['type'] {
  if (type === 'string' || type === 'number' || type === 'boolean') return type
  return type === 'any' || type === 'anyOf' ? undefined : 'other'
}
