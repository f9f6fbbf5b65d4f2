import type { Item } from '../model/collection.ts'
import type { Facets } from '../model/facet.ts'
import type { OrderType } from '../model/order.ts'
import type { Attachment } from './attachment.ts'
import { type EntityAttribute, type EntityCollection, type EntityOptions, entityAttachment } from './entity.ts'

/** The part of an ElectroDB schema that lists need. */
export interface ElectroSchema {
  readonly model: { readonly entity: string; readonly version: string }
  readonly attributes: Readonly<
    Record<string, { readonly type?: unknown; readonly field?: string; readonly hidden?: boolean }>
  >
}

/** An ElectroDB entity, or an object of the same shape. */
export interface ElectroEntity {
  readonly schema: ElectroSchema
  /** The attributes in which ElectroDB writes the name and the version of the entity. */
  readonly identifiers?: { readonly entity: string; readonly version: string }
}

/** The identifiers' default names in ElectroDB. */
const IDENTIFIERS = { entity: '__edb_e__', version: '__edb_v__' } as const

/**
 * Makes an attachment that lists the items of an ElectroDB entity. The entity's name and version come first in each index, so that other
 * entities of the table cost nothing; they take two of the index's eight key attributes. Items come as they are stored, under the entity's
 * names: what ElectroDB's `get` would change is not changed.
 *
 * @throws {LapidaryError} `declaration_invalid` for an attribute that the entity does not have.
 * @example
 * ```ts run
 * // new Entity({ … }, { client, table }) of ElectroDB has these
 * const text = { type: 'string' }
 * const attributes = { orderId: text, customerId: text, placedAt: text, status: text, channel: text }
 * const entity = { schema: { model: { entity: 'order', version: '1' }, attributes } }
 *
 * const orders = fromElectroDb(entity, {
 *   name: 'ORDER',
 *   id: 'orderId',
 *   scope: { name: 'CUSTOMER', attribute: 'customerId' },
 *   order: { attribute: 'placedAt', type: 'string' },
 *   facets: { status: anyOf(['NEW', 'PAID', 'SENT']), channel: oneOf() },
 * })
 * const shop = attach({ client, tableName, collections: { orders }, cursorSecret })
 * ```
 */
export function fromElectroDb<const F extends Facets, const T extends OrderType, I = Item>(
  entity: ElectroEntity,
  options: EntityOptions<I, F, T>,
): Attachment<EntityCollection<I, F, T>> {
  const { schema, identifiers = IDENTIFIERS } = entity
  const { model, attributes: declared } = schema
  const attributes = Object.entries(declared).map(
    ([name, { type, field, hidden = false }]): [string, EntityAttribute] => [
      name,
      { stored: field ?? name, hidden, type: electroType(type), values: Array.isArray(type) ? type : undefined },
    ],
  )
  return entityAttachment(
    {
      title: `the ElectroDB entity ${model.entity}`,
      attributes: Object.fromEntries(attributes),
      kind: { [identifiers.entity]: model.entity, [identifiers.version]: model.version },
    },
    options,
  )
}

/** Returns the type of an attribute. An array lists the values of an enum; custom types are functions or symbols. */
function electroType(type: unknown): EntityAttribute['type'] {
  if (Array.isArray(type)) return type.every((value) => typeof value === 'string') ? 'string' : undefined
  if (type === 'string' || type === 'number' || type === 'boolean') return type
  return typeof type === 'string' && type !== 'any' ? 'other' : undefined
}
