import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { AttributeCodec } from './attribute-codec.ts'
import { shown } from './errors.ts'
import type { Facets } from './facet.ts'
import { facetAttributes } from './facet-origin.ts'
import { requireOwnNames, shownOnly } from './facet-sources.ts'
import type { FacetIn } from './facet-types.ts'
import { checkedIndexes, type IndexDeclaration } from './index-declaration.ts'
import { invalidDeclaration } from './invalid-declaration.ts'
import { knownOptions, type OptionNames } from './known-options.ts'
import { checkedBoard, type Leaderboard, type LeaderboardOptions } from './leaderboard.ts'
import type { NumberKind } from './native-value.ts'
import { declaredNumbers, type NumbersOption } from './numbers-declaration.ts'
import { declaredOrders, type IdOrder, type Order, type Orders, type OrderType, orderAttributes } from './order.ts'
import { checkedPages, type PagesDeclaration } from './page-declaration.ts'
import { COMBINING } from './read-condition.ts'
import { isReservedName, LOST_NAME, reservedReason } from './reserved-names.ts'
import { declaredStatistics, type Statistics, type StatisticsOptions } from './statistics-declaration.ts'
import { declaredSums } from './sums-declaration.ts'
import type { DeclaredBy, Paged, WrittenOut } from './written-out.ts'

/** An item as it is stored and returned: attributes by name. */
export type Item = Readonly<Record<string, unknown>>

/** The stored form of an attribute: its short name, and whether lists show it or only a look-up by id. */
export interface StoredAttribute {
  readonly name: string
  readonly shownIn: 'list' | 'lookup'
  /** A second name under which every write stores it and from which no read takes it, while the attribute is being renamed. */
  readonly also?: string
}

/** The types that a declaration adds beside the facets, for queries and new items. A collection without them takes anything. */
export interface Declared {
  /** The type that the schema takes; unknown = whole items. */
  readonly input: unknown
  /** The type of the default order's attribute. */
  readonly order: OrderType
  /** The type of each order's attribute, by the order's name. */
  readonly orders: Readonly<Record<string, OrderType>>
  /** The attribute with the id. */
  readonly id: string
  /** Attributes that the library makes when a new item lacks them. */
  readonly made: string
  /** Names of leaderboards. */
  readonly board: string
  /** Attributes whose numbers are added up beside the counts. */
  readonly sums: string
  /** Whether items of all scopes are counted together. */
  readonly countedAcross: boolean
  /** Attributes whose numbers are read as texts. */
  readonly decimals: string
  /** Whether an index lists the items of all scopes. */
  readonly across: boolean
  /** The page indexes beside the one of a scope in the default order. */
  readonly paged: Paged
}

/** The attribute by which lists are ordered; a bare name means a time. */
type OrderOption<Schema extends StandardSchemaV1> =
  | AttributeOf<Schema, string>
  | { readonly attribute: AttributeOf<Schema, string>; readonly type: 'time' | 'string' }
  | { readonly attribute: AttributeOf<Schema, number>; readonly type: 'number' }
  | { readonly attribute: AttributeOf<Schema, string | bigint>; readonly type: 'decimal' }
  // Where it is not known what attributes hold.
  | { readonly attribute: AttributeOf<Schema, never>; readonly type: OrderType }

/** An order whose attribute may be null or absent; items without it are missing from its lists. */
type OptionalOrder<Schema extends StandardSchemaV1> =
  | { readonly attribute: AttributeOf<Schema, string | null | undefined>; readonly type: 'time' | 'string' }
  | { readonly attribute: AttributeOf<Schema, number | null | undefined>; readonly type: 'number' }
  | { readonly attribute: AttributeOf<Schema, string | bigint | null | undefined>; readonly type: 'decimal' }

/** The default order, further orders by name, or both: without `order` the first of them is the default one. */
type OrdersOption<Schema extends StandardSchemaV1> =
  | { readonly order: OrderOption<Schema>; readonly orders?: NamedOrders<Schema> }
  | { readonly order?: undefined; readonly orders: NamedOrders<Schema> }

type NamedOrders<Schema extends StandardSchemaV1> = Readonly<
  Record<string, OrderOption<Schema> | (OptionalOrder<Schema> & { readonly optional: true })>
>

/**
 * The options of `defineCollection`. `Schema` validates whole items, as stored; `order` is the attribute by which lists are ordered, a bare name
 * means a time; `orders` are further ones by name, of which a query takes one with `by`.
 */
export type CollectionOptions<Schema extends StandardSchemaV1, F extends Facets> = CollectionBasics<Schema, F> &
  OrdersOption<Schema>

interface CollectionBasics<Schema extends StandardSchemaV1, F extends Facets> {
  /** The kind of item, in key form: `COMMENT`. */
  readonly name: string
  /** Any Standard Schema (zod, valibot, arktype…) of the whole item. */
  readonly schema: Schema
  /**
   * The schema of stored items, for a `schema` that transforms its input into something it would not take itself. `get` and `getMany` run what
   * they read through it (so it may fill in what older items lack), and `patch` the whole item with the changes; `schema` then validates only
   * what `create`, `replace` and `upsert` are given.
   */
  readonly output?: StandardSchemaV1<unknown, OutputOf<NoInfer<Schema>>>
  /** The attribute with the id, unique in the collection. */
  readonly id: AttributeOf<Schema, string>
  /** The parent under which items are listed: what it is called, and the attribute with its id. */
  readonly scope: { readonly name: string; readonly attribute: AttributeOf<Schema, string> }
  /** The attributes that can be filtered. */
  readonly facets: F & {
    readonly [K in keyof F]: FacetIn<F[K], OutputOf<Schema>, K>
  }
  /**
   * The order of ids among items of the same order value; `escaped` when not given. `raw` sorts them as DynamoDB sorts the ids themselves, which
   * lists over native keys need unless ids are short and plain; long ids then make long cursors. It never changes.
   */
  readonly idOrder?: IdOrder
  /** The attribute that counts an item's versions from 1; kept by the library. */
  readonly version?: AttributeOf<Schema, number | null | undefined>
  /**
   * The attribute with the time of the last change, kept by the library: null before the first, or the time of the creation where lists
   * are ordered by it.
   */
  readonly updatedAt?: AttributeOf<Schema, string | null | undefined>
  /**
   * The attribute with the time at which an item expires, ISO 8601; items without one never do. After that time lists and look-ups hide the
   * item, and DynamoDB removes it within days, which counts it off. A table that `table.create` or an export made has that turned on.
   */
  readonly expires?: AttributeOf<Schema, string | null | undefined>
  /**
   * Short names for storage, for every attribute. With them, indexes hold only what a list shows; without them, attributes keep their names and
   * indexes hold everything.
   */
  readonly attributes?: { readonly [K in AttributeOf<Schema>]: string | StoredAttribute }
  /**
   * The kind of number that an attribute is read and written as, also in its lists, maps and sets: `number`, and an error where that would lose
   * digits; `bigint`; `decimal`, as texts with up to 38 digits, where every text in the attribute has to be a number. In an attribute that is
   * not named, fractions are read as the nearest number, and whole numbers beyond 2^53 as bigints.
   */
  readonly numbers?: NumbersOption<OutputOf<Schema>>
  /** Packs what DynamoDB need not see (see docs/smaller-items.md); every attribute is stored as it is when not given. */
  readonly codec?: AttributeCodec
  /** Indexes by access pattern; by default one for each subset of the facets (see docs/layouts/indexes.md). */
  readonly indexes?: Readonly<Record<string, IndexDeclaration<Extract<keyof F, string>>>>
  /** Page indexes beside the one of a scope in the default order, where the database keeps page numbers (see docs/page-numbers.md). */
  readonly pages?: readonly PagesDeclaration<Extract<keyof F, string>>[]
  /** Bytes of an item in an index, for prices; 512 when not given. */
  readonly itemBytes?: number
  /**
   * Attributes whose numbers are added up beside the counts, exactly; an item may lack them. `count` tells their sums and averages. An attribute
   * that is summed is not packed by a codec.
   */
  readonly sums?: readonly SummableOf<Schema>[]
  /** What is counted beside the items of each scope: of all scopes together (`across`), and by day (`days`). */
  readonly statistics?: StatisticsOptions<AttributeOf<Schema, string | null | undefined>>
  /** Scopes ranked by the count of some items, or by a sum or an average of their numbers, by name. */
  readonly leaderboards?: Readonly<Record<string, LeaderboardOptions<F, SummableOf<Schema>>>>
}

type OutputOf<Schema extends StandardSchemaV1> = StandardSchemaV1.InferOutput<Schema>

/** Attributes of an item, all or those that hold some type. */
type AttributeOf<Schema extends StandardSchemaV1, V = unknown> = Extract<
  {
    [K in keyof OutputOf<Schema>]: unknown extends OutputOf<Schema>[K] ? K : OutputOf<Schema>[K] extends V ? K : never
  }[keyof OutputOf<Schema>],
  string
>

/** Attributes that may hold numbers, which decimals are as texts. */
type SummableOf<Schema extends StandardSchemaV1> = AttributeOf<Schema, number | bigint | string | null | undefined>

/** A declared kind of item: what is listed, under what, by which facets, in what order. Frozen. */
export interface Collection<I = unknown, F extends Facets = Facets, D extends Declared = Declared> {
  /** A type only: what else the declaration says. */
  readonly declared?: D
  readonly name: string
  readonly schema: StandardSchemaV1<unknown, I>
  /** The schema of stored items; undefined = `schema` takes what it makes. */
  readonly output: StandardSchemaV1<unknown, I> | undefined
  readonly id: string
  readonly scope: { readonly name: string; readonly attribute: string }
  /** The default order. */
  readonly order: Order
  /** All orders by name, the default one first. */
  readonly orders: Orders
  readonly facets: F
  readonly idOrder: IdOrder
  readonly version: string | undefined
  readonly updatedAt: string | undefined
  readonly expires: string | undefined
  readonly attributes: Readonly<Record<string, StoredAttribute>> | undefined
  /** The kind of number of each attribute that declares one. */
  readonly numbers: Readonly<Record<string, NumberKind>>
  readonly codec: AttributeCodec | undefined
  readonly indexes: Readonly<Record<string, IndexDeclaration>> | undefined
  /** Page indexes beside the one of a scope in the default order. */
  readonly pages: readonly PagesDeclaration[]
  readonly itemBytes: number
  /** Attributes whose numbers are added up beside the counts. */
  readonly sums: readonly string[]
  readonly statistics: Statistics
  readonly leaderboards: readonly Leaderboard[]
}

/**
 * An attribute that only a look-up by id returns; no index stores it, so lists stay small and cheap.
 *
 * @example
 * ```ts run
 * const comments = defineCollection({
 *   name: 'COMMENT',
 *   schema: commentSchema,
 *   id: 'id',
 *   scope: { name: 'PRODUCT', attribute: 'productId' },
 *   order: 'createdAt',
 *   facets: { language: oneOf(), rating: anyOf([1, 2, 3, 4, 5]) },
 *   attributes: {
 *     ...{ id: 'i', productId: 'p', language: 'l', rating: 'r', createdAt: 'c', title: 't', author: 'a' },
 *     ...{ text: lookup('x'), updatedAt: lookup('u'), version: 'v' },
 *   },
 * })
 * ```
 */
export function lookup(name: string): StoredAttribute & { readonly shownIn: 'lookup' } {
  return { name, shownIn: 'lookup' }
}

const NAMES: OptionNames<CollectionBasics<StandardSchemaV1, Facets> & { order?: unknown; orders?: unknown }> = {
  ...{ name: true, schema: true, output: true, id: true, scope: true, facets: true, order: true, orders: true },
  ...{ idOrder: true, version: true, updatedAt: true, expires: true, attributes: true, codec: true },
  ...{ numbers: true, indexes: true, pages: true, itemBytes: true, sums: true, statistics: true, leaderboards: true },
}
const SCOPE_NAMES: OptionNames<Collection['scope']> = { name: true, attribute: true }
const STORED_NAMES: OptionNames<StoredAttribute> = { name: true, shownIn: true, also: true }

const KEY_NAME = /^[A-Z][A-Z0-9_]{0,31}$/

/**
 * Declares what is listed (comments), under what (a product), by which facets (language, rating), in what order.
 *
 * @throws {LapidaryError} `declaration_invalid` when a name is not usable or an attribute is missing.
 * @example
 * ```ts run
 * const comments = defineCollection({
 *   name: 'COMMENT',
 *   schema: commentSchema,
 *   id: 'id',
 *   scope: { name: 'PRODUCT', attribute: 'productId' },
 *   order: 'createdAt',
 *   facets: { language: oneOf(), rating: anyOf([1, 2, 3, 4, 5]) },
 * })
 * ```
 */
export function defineCollection<
  Schema extends StandardSchemaV1,
  const F extends Facets,
  const O extends CollectionOptions<Schema, F>,
>(
  options: O & CollectionOptions<Schema, F> & WrittenOut<F, O>,
): Collection<OutputOf<Schema>, F, DeclaredBy<Schema, O>> {
  knownOptions('defineCollection', options, NAMES, 'declaration_invalid')
  knownOptions(`the scope of ${options.name}`, options.scope, SCOPE_NAMES, 'declaration_invalid')
  for (const name of [options.name, options.scope.name]) {
    if (!KEY_NAME.test(name)) {
      invalidDeclaration(
        `${shown(name)} can't be part of a key; use capitals, digits and _, beginning with a letter (COMMENT)`,
      )
    }
  }
  const { order, orders } = declaredOrders(options.order, options.orders)
  const facets: F = options.facets
  const filtered = facetAttributes(facets)
  for (const attribute of [options.id, options.scope.attribute, order.attribute]) {
    if (filtered.includes(attribute) || Object.hasOwn(facets, attribute))
      invalidDeclaration(`${attribute} is the id, the scope or the order, so it can't be a facet too`)
  }
  const combining = Object.keys(facets).find((name) => COMBINING.includes(name))
  if (combining !== undefined)
    invalidDeclaration(`a facet is called ${combining}, by which filters are combined; give its attribute another name`)
  const named = [options.id, options.scope.attribute, ...orderAttributes({ orders }), ...filtered]
  if ([...named, ...Object.keys(options.attributes ?? {})].includes(LOST_NAME))
    invalidDeclaration(`an attribute is called ${LOST_NAME}, which ${reservedReason(LOST_NAME)}; choose another name`)
  for (const attribute of options.expires === undefined ? named : [...named, options.expires]) {
    const stored: string | StoredAttribute | undefined = options.attributes?.[attribute as AttributeOf<Schema>]
    if (typeof stored === 'object' && stored.shownIn === 'lookup')
      invalidDeclaration(
        `${attribute} is only for a look-up, but lists filter and show by it; give it a plain short name`,
      )
  }
  requireOwnAttributes(options)
  requireOwnNames(options, orders)
  const indexes = options.indexes === undefined ? undefined : checkedIndexes(options.indexes, facets, { order, orders })
  const itemBytes = options.itemBytes ?? 512
  if (!(itemBytes >= 1 && itemBytes <= 409_600))
    invalidDeclaration(`itemBytes is ${itemBytes}; an item has 1 to 409600 bytes`)
  return Object.freeze({
    name: options.name,
    schema: options.schema as unknown as StandardSchemaV1<unknown, StandardSchemaV1.InferOutput<Schema>>,
    output: options.output,
    id: options.id,
    scope: Object.freeze({ ...options.scope }),
    order,
    orders,
    facets: Object.freeze(shownOnly(facets, options.attributes)),
    idOrder: options.idOrder ?? 'escaped',
    version: options.version,
    updatedAt: options.updatedAt,
    expires: options.expires,
    attributes: options.attributes === undefined ? undefined : storedAttributes(options.attributes),
    numbers: declaredNumbers(options.numbers, { orders, facets }),
    codec: options.codec,
    indexes,
    pages: checkedPages(options.pages ?? [], { order, orders, facets, indexes }),
    itemBytes,
    sums: declaredSums(options.sums ?? [], options),
    statistics: declaredStatistics(options.statistics, order),
    leaderboards: Object.freeze(
      Object.entries(options.leaderboards ?? {}).map(([name, board]) => checkedBoard(name, board, options)),
    ),
  })
}

/** The attributes that the library keeps or goes by must differ: an expiry that is `updatedAt` too would remove each item that is changed. */
function requireOwnAttributes({ id, scope, version, updatedAt, expires }: KeptAttributes): void {
  const roleOf = new Map<string, string>()
  for (const [role, attribute] of Object.entries({ id, scope: scope.attribute, version, updatedAt, expires })) {
    if (attribute === undefined) continue
    const other = roleOf.get(attribute)
    if (other === undefined) roleOf.set(attribute, role)
    else if (role !== 'scope')
      invalidDeclaration(
        `${attribute} is both ${other} and ${role}; the library keeps each by a rule of its own, so give each an attribute of its own`,
      )
  }
}

interface KeptAttributes extends Readonly<Partial<Record<'version' | 'updatedAt' | 'expires', string>>> {
  readonly id: string
  readonly scope: { readonly attribute: string }
}

function storedAttributes(
  names: Readonly<Record<string, string | StoredAttribute>>,
): Readonly<Record<string, StoredAttribute>> {
  const stored: Record<string, StoredAttribute> = {}
  const seen = new Map<string, string>()
  for (const [attribute, given] of Object.entries(names)) {
    const entry: StoredAttribute =
      typeof given === 'string'
        ? { name: given, shownIn: 'list' }
        : knownOptions(`the attribute ${attribute}`, given, STORED_NAMES, 'declaration_invalid')
    for (const name of entry.also === undefined ? [entry.name] : [entry.name, entry.also]) {
      if (isReservedName(name))
        invalidDeclaration(
          `${attribute} can't be stored as ${shown(name)}, which ${reservedReason(name)}; choose another short name`,
        )
      const other = seen.get(name)
      if (other !== undefined) invalidDeclaration(`${other} and ${attribute} are both stored as ${shown(name)}`)
      seen.set(name, attribute)
    }
    stored[attribute] = Object.freeze({ ...entry })
  }
  return Object.freeze(stored)
}
