import type { StandardSchemaV1 } from '@standard-schema/spec'
import {
  type Collection,
  type Declared,
  defineCollection,
  type Item,
  type StoredAttribute,
} from '../model/collection.ts'
import { shown } from '../model/errors.ts'
import type { Facet, Facets } from '../model/facet.ts'
import { attributeOfFacet, facetAttributes, innerParts } from '../model/facet-origin.ts'
import type { IndexDeclaration } from '../model/index-declaration.ts'
import { invalidDeclaration } from '../model/invalid-declaration.ts'
import type { NumberKind } from '../model/native-value.ts'
import type { OrderType } from '../model/order.ts'
import type { Attachment } from './attachment.ts'

/** Options that say how the items of another library's entity are listed; attributes have the entity's own names. */
export interface EntityOptions<I, F extends Facets, T extends OrderType = OrderType> {
  /** Any Standard Schema of an item, for its type only: the other library has checked the items. */
  readonly schema?: StandardSchemaV1<unknown, I>
  /** The kind of item, in key form, for cursors and messages: `ORDER`. */
  readonly name: string
  /** The attribute with the id, a text, unique in the entity. */
  readonly id: string
  /** The parent under which items are listed: its name, and the attribute with its id, a text. */
  readonly scope: { readonly name: string; readonly attribute: string }
  /** The attribute by which lists are ordered. */
  readonly order: { readonly attribute: string; readonly type: T }
  /** The attributes that can be filtered. */
  readonly facets: F
  /** Indexes by access pattern; by default one for each subset of the facets, as far as there is room. */
  readonly indexes?: Readonly<Record<string, IndexDeclaration<Extract<keyof F, string>>>>
  /** The kind of number of each attribute; an order of `type: 'decimal'` needs it. */
  readonly numbers?: Readonly<Record<string, NumberKind>>
  /** Bytes of an item, for prices; 512 when not given. */
  readonly itemBytes?: number
  /**
   * Attributes that tell the entity's items from all others, instead of those that the other library writes for that; `{}` = only the indexes'
   * attributes.
   */
  readonly kind?: Readonly<Record<string, string>>
}

/** An attribute as an entity of another library declares it. */
export interface EntityAttribute {
  /** The name in the table. */
  readonly stored: string
  /** The type; undefined where any is allowed, or where it is not known. */
  readonly type: 'string' | 'number' | 'boolean' | 'other' | undefined
  /** Whether the other library leaves it out of what it returns; lists do so too, unless they go by it. */
  readonly hidden: boolean
  /** The values that it can have, where they are declared. */
  readonly values: readonly unknown[] | undefined
}

/** The declaration of another library's entity. */
export interface EntityShape {
  /** Its name in messages: `the ElectroDB entity order`. */
  readonly title: string
  readonly attributes: Readonly<Record<string, EntityAttribute>>
  readonly kind: Readonly<Record<string, string>>
}

/** A collection of an entity's items. Only the types of its facets and its order are known. */
export type EntityCollection<I, F extends Facets, T extends OrderType> = Collection<
  I,
  F,
  Declared & { readonly order: T; readonly made: never; readonly board: never }
>

/** @throws {LapidaryError} `declaration_invalid` for an attribute that the entity does not have, or that has another type. */
export function entityAttachment<I, const F extends Facets, const T extends OrderType>(
  shape: EntityShape,
  { kind = shape.kind, ...options }: EntityOptions<I, F, T>,
): Attachment<EntityCollection<I, F, T>> {
  const { id, scope, order, facets } = options
  requireAttributeType(shape, id, 'string', 'the id')
  requireAttributeType(shape, scope.attribute, 'string', 'the scope')
  requireAttributeType(
    shape,
    order.attribute,
    order.type === 'number' || order.type === 'decimal' ? 'number' : 'string',
    'the order',
  )
  for (const [name, facet] of Object.entries(facets)) requireFacet(shape, name, facet)
  const declared = defineCollection({
    ...options,
    ...{ order: { ...order }, facets, schema: ANY, idOrder: 'raw' },
  } as never) as Collection
  const used = [id, scope.attribute, order.attribute, ...facetAttributes(facets)]
  const stored = Object.entries(shape.attributes)
    .filter(([attribute, { hidden }]) => !hidden || used.includes(attribute))
    .map(([attribute, { stored: name }]) => [attribute, Object.freeze<StoredAttribute>({ name, shownIn: 'list' })])
  // The table holds nothing of the library's, so no name is reserved.
  const collection = Object.freeze({ ...declared, attributes: Object.freeze(Object.fromEntries(stored)) })
  return Object.freeze({ collection: collection as unknown as EntityCollection<I, F, T>, kind })
}

/** A schema that accepts all items: the other library has checked them. */
const ANY: StandardSchemaV1<unknown, Item> = {
  '~standard': { version: 1, vendor: 'lapidary', validate: (value) => ({ value: value as Item }) },
}

function entityAttribute({ title, attributes }: EntityShape, name: string, role: string): EntityAttribute {
  const attribute = Object.hasOwn(attributes, name) ? attributes[name] : undefined
  if (attribute !== undefined) return attribute
  return invalidDeclaration(
    `${role} is ${shown(name)}, which ${title} does not have; it has ${Object.keys(attributes).join(', ')}`,
  )
}

function requireAttributeType(shape: EntityShape, name: string, wanted: 'string' | 'number', role: string): void {
  const { type } = entityAttribute(shape, name, role)
  if (type === undefined || type === wanted) return
  invalidDeclaration(
    `${role} is ${name}, which holds a ${type} in ${shape.title}, and a ${wanted} is needed; take another attribute`,
  )
}

function requireFacet(shape: EntityShape, name: string, facet: Facet): void {
  const attribute = attributeOfFacet(name, facet)
  if (attribute === undefined) return
  const { type, values } = entityAttribute(shape, attribute, 'a facet')
  // What is inside of an attribute the entity does not tell here.
  if (innerParts(facet.origin).length > 0) return
  const wanted = facet.values?.filter((value) => value !== null) ?? []
  const strange = wanted.find((value) =>
    values === undefined ? type && typeof value !== type : !values.includes(value),
  )
  if (strange !== undefined) {
    const allowed = values === undefined ? `a ${type}` : values.map(shown).join(', ')
    invalidDeclaration(`the facet ${name} has the value ${shown(strange)}, and in ${shape.title} it is ${allowed}`)
  }
  if (facet.values === undefined && type !== undefined && type !== facet.type) {
    invalidDeclaration(
      `the facet ${name} holds a ${facet.type}, and in ${shape.title} a ${type}; declare it with that type`,
    )
  }
}
