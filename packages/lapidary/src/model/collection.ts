import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { AttributeCodec } from './attribute-codec.ts'
import { LapidaryError, shown } from './errors.ts'
import type { Facet, FacetOf, Facets, FacetValue, ValueOf } from './facet.ts'
import { valueProblem } from './facet-values.ts'
import { isReservedName } from './reserved-names.ts'

/** An item as it is stored and returned: attributes by name. */
export type Item = Readonly<Record<string, unknown>>

/** What the order attribute holds, which decides how it becomes a sortable text. */
export type OrderType = 'time' | 'number' | 'string'

/** How ids sort: as keys hold them, escaped and cut, or as they are. */
export type IdOrder = 'escaped' | 'raw'

/** The attribute by which lists are ordered. `time`: ISO 8601 in UTC with milliseconds, years 0000 to 9999. */
export interface Order {
  readonly attribute: string
  readonly type: OrderType
}

/** Where a collection's items lie in an assembled index: `below` or `above` their parent, or they are the parents. */
export type Around = 'parent' | 'below' | 'above'

/**
 * One secondary index, named by its access pattern.
 *
 * `partition` facets make the partition key, `sort` facets a prefix of the sort key (a composite sort key:
 * `CANCELLED#2019-07-01…`), and `only` makes it sparse: items whose facet is outside the given values are not in it.
 */
export interface IndexDeclaration<Name extends string = string> {
  readonly partition?: readonly Name[]
  readonly sort?: readonly Name[]
  readonly only?: { readonly [facet in Name]?: readonly FacetValue[] }
  /**
   * Lists the items of all scopes, over so many partitions, which a query without a scope merges: 1000 writes a second for each. It
   * answers no query of some scopes.
   */
  readonly across?: number
  /** Keeps the items of other collections out of the index, so that `scan` reads no more than it gives. A sparse index does that too. */
  readonly scan?: boolean
  /**
   * Assembles collections of one table in one partition: a parent, the items of which it is the scope of one collection below it, of
   * another above it, the newest next to it. Each of them declares the index under the same name, with nothing else.
   */
  readonly around?: Around
}

/** How an attribute is stored: under a short name, and whether lists show it or only a look-up by id. */
export interface StoredAttribute {
  readonly name: string
  readonly shownIn: 'list' | 'lookup'
  /** Another name under which every write stores it too, and no read looks: while it is being renamed. */
  readonly also?: string
}

/** What a declaration says beside the facets, for the types of queries and new items: a collection of which it is not known takes anything. */
export interface Declared {
  /** What the schema takes; unknown = whole items. */
  readonly input: unknown
  /** What the order attribute holds. */
  readonly order: OrderType
  /** The attribute with the id. */
  readonly id: string
  /** Attributes that the library makes when a new item lacks them. */
  readonly made: string
  /** Names of leaderboards. */
  readonly board: string
  /** Whether an index lists the items of all scopes. */
  readonly across: boolean
}

/** The attribute by which lists are ordered; a bare name is a time. */
type OrderOption<Schema extends StandardSchemaV1> =
  | AttributeOf<Schema, string>
  | { readonly attribute: AttributeOf<Schema, string>; readonly type: 'time' | 'string' }
  | { readonly attribute: AttributeOf<Schema, number>; readonly type: 'number' }
  // Where it is not known what attributes hold.
  | { readonly attribute: AttributeOf<Schema, never>; readonly type: OrderType }

/** What a declaration that is written out says. */
type DeclaredBy<Schema extends StandardSchemaV1, O extends { readonly id: string; readonly order: unknown }> = {
  readonly input: StandardSchemaV1.InferInput<Schema>
  readonly order: O['order'] extends { readonly type: infer T extends OrderType } ? T : 'time'
  readonly id: O['id']
  readonly made:
    | O['id']
    | (O extends { readonly version: infer V extends string } ? V : never)
    | (O extends { readonly updatedAt: infer U extends string } ? U : never)
    | (O['order'] extends string
        ? O['order']
        : O['order'] extends { readonly attribute: infer A extends string; readonly type: 'time' }
          ? A
          : never)
  readonly board: O extends { readonly leaderboards: infer B } ? Extract<keyof B, string> : never
  readonly across: O extends { readonly indexes: infer X } ? (true extends IsAcross<X[keyof X]> ? true : false) : false
}

type IsAcross<Index> = Index extends { readonly across: number } ? true : false

/** What `defineCollection` takes. `Schema` validates whole items, as stored. */
export interface CollectionOptions<Schema extends StandardSchemaV1, F extends Facets> {
  /** The kind of item, in key form: `COMMENT`. */
  readonly name: string
  /** Any Standard Schema (zod, valibot, arktype…) of the whole item. */
  readonly schema: Schema
  /**
   * A schema of items as they are stored, where `schema` transforms into what it does not take itself. `get` and `getMany` run what
   * they read through it (so it may fill in what older items lack), `patch` the whole with the changes; `schema` is then run on what
   * `create`, `replace` and `upsert` are given, alone.
   */
  readonly output?: StandardSchemaV1<unknown, OutputOf<NoInfer<Schema>>>
  /** The attribute with the id, unique in the collection. */
  readonly id: AttributeOf<Schema>
  /** The parent under which items are listed: what it is called, and the attribute with its id. */
  readonly scope: { readonly name: string; readonly attribute: AttributeOf<Schema> }
  /** The attribute by which lists are ordered; a bare name is a time. */
  readonly order: OrderOption<Schema>
  /** The attributes that can be filtered. */
  readonly facets: F & {
    readonly [K in keyof F]: K extends keyof OutputOf<Schema> ? FacetOf<F[K], OutputOf<Schema>[K]> : never
  }
  /**
   * How ids sort among items of the same order value; `escaped` when not given. `raw`: as DynamoDB sorts them as they are, which lists
   * over native keys need where ids are other than short and plain. Of long ids cursors are long then. It never changes.
   */
  readonly idOrder?: IdOrder
  /** The attribute that counts an item's versions from 1; kept by the library. */
  readonly version?: AttributeOf<Schema>
  /** The attribute with the time of the last change, null before the first; kept by the library. */
  readonly updatedAt?: AttributeOf<Schema>
  /**
   * The attribute with the time at which an item expires, ISO 8601; items without one never do. From then on no list and no look-up
   * shows it, and DynamoDB removes it within days, which counts it off. A table that `table.create` or an export made has that turned on.
   */
  readonly expires?: AttributeOf<Schema, string | null | undefined>
  /**
   * Short names for storage, for every attribute. With it, indexes hold only what a list shows; without it attributes
   * keep their names and indexes hold everything.
   */
  readonly attributes?: { readonly [K in AttributeOf<Schema>]: string | StoredAttribute }
  /** Packs what DynamoDB need not see (see docs/smaller-items.md); every attribute is stored as it is when not given. */
  readonly codec?: AttributeCodec
  /** Indexes by access pattern; by default one for each subset of the facets (see docs/layouts/indexes.md). */
  readonly indexes?: Readonly<Record<string, IndexDeclaration<Extract<keyof F, string>>>>
  /** Bytes of an item in an index, for prices; 512 when not given. */
  readonly itemBytes?: number
  /** Scopes ranked by their count of some items, by name. */
  readonly leaderboards?: Readonly<Record<string, LeaderboardOptions<F>>>
}

/** A ranking of scopes by the number of their items in a selection, for all items and for each value of the `oneOf` facets. */
export interface LeaderboardOptions<F extends Facets = Facets> {
  /** Values of `anyOf` facets whose items count; every item when empty. */
  readonly where: { readonly [K in keyof F]?: readonly ValueOf<F[K]>[] }
  /**
   * Partitions that share the writes of a board, 1000 units a second each; reading it reads them all. 1 when not given, which
   * is enough below some 300 changes of it a second.
   */
  readonly shards?: number
}

/** A declared leaderboard with everything filled in. */
export interface Leaderboard {
  readonly name: string
  readonly where: Readonly<Record<string, readonly FacetValue[]>>
  readonly shards: number
}

type OutputOf<Schema extends StandardSchemaV1> = StandardSchemaV1.InferOutput<Schema>

/** Attributes of an item, all or those that hold some type. */
type AttributeOf<Schema extends StandardSchemaV1, V = unknown> = Extract<
  {
    [K in keyof OutputOf<Schema>]: unknown extends OutputOf<Schema>[K] ? K : OutputOf<Schema>[K] extends V ? K : never
  }[keyof OutputOf<Schema>],
  string
>

/** A declared kind of item: what is listed, under what, by which facets, in what order. Frozen. */
export interface Collection<I = unknown, F extends Facets = Facets, D extends Declared = Declared> {
  /** Only a type: what else the declaration says. */
  readonly declared?: D
  readonly name: string
  readonly schema: StandardSchemaV1<unknown, I>
  /** Of items as they are stored; undefined = `schema` takes what it makes. */
  readonly output: StandardSchemaV1<unknown, I> | undefined
  readonly id: string
  readonly scope: { readonly name: string; readonly attribute: string }
  readonly order: Order
  readonly facets: F
  readonly idOrder: IdOrder
  readonly version: string | undefined
  readonly updatedAt: string | undefined
  readonly expires: string | undefined
  readonly attributes: Readonly<Record<string, StoredAttribute>> | undefined
  readonly codec: AttributeCodec | undefined
  readonly indexes: Readonly<Record<string, IndexDeclaration>> | undefined
  readonly itemBytes: number
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
export function lookup(name: string): StoredAttribute {
  return { name, shownIn: 'lookup' }
}

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
>(options: O & CollectionOptions<Schema, F>): Collection<OutputOf<Schema>, F, DeclaredBy<Schema, O>> {
  for (const name of [options.name, options.scope.name]) {
    if (!KEY_NAME.test(name)) {
      invalid(`${shown(name)} can't be part of a key; use capitals, digits and _, beginning with a letter (COMMENT)`)
    }
  }
  const order: Order = typeof options.order === 'string' ? { attribute: options.order, type: 'time' } : options.order
  const facets: F = options.facets
  for (const attribute of [options.id, options.scope.attribute, order.attribute]) {
    if (Object.hasOwn(facets, attribute))
      invalid(`${attribute} is the id, the scope or the order, so it can't be a facet too`)
  }
  const filtered = [options.id, options.scope.attribute, order.attribute, ...Object.keys(facets)]
  for (const attribute of options.expires === undefined ? filtered : [...filtered, options.expires]) {
    const stored: string | StoredAttribute | undefined = options.attributes?.[attribute as AttributeOf<Schema>]
    if (typeof stored === 'object' && stored.shownIn === 'lookup')
      invalid(`${attribute} is only for a look-up, but lists filter and show by it; give it a plain short name`)
  }
  const itemBytes = options.itemBytes ?? 512
  if (!(itemBytes >= 1 && itemBytes <= 409_600)) invalid(`itemBytes is ${itemBytes}; an item has 1 to 409600 bytes`)
  return Object.freeze({
    name: options.name,
    schema: options.schema as unknown as StandardSchemaV1<unknown, StandardSchemaV1.InferOutput<Schema>>,
    output: options.output,
    id: options.id,
    scope: Object.freeze({ ...options.scope }),
    order: Object.freeze(order),
    facets: Object.freeze({ ...facets }),
    idOrder: options.idOrder ?? 'escaped',
    version: options.version,
    updatedAt: options.updatedAt,
    expires: options.expires,
    attributes: options.attributes === undefined ? undefined : storedAttributes(options.attributes),
    codec: options.codec,
    indexes: options.indexes === undefined ? undefined : checkedIndexes(options.indexes, facets, order.attribute),
    itemBytes,
    leaderboards: Object.freeze(
      Object.entries(options.leaderboards ?? {}).map(([name, board]) => checkedBoard(name, board, facets)),
    ),
  })
}

/** The most shards of a leaderboard: reading it reads them all. */
export const MOST_BOARD_SHARDS = 64
/** The most partitions of an index of all scopes: reading it reads them all. */
const MOST_PARTITIONS = 32

function checkedBoard(name: string, { where, shards = 1 }: LeaderboardOptions, facets: Facets): Leaderboard {
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(name))
    invalid(`${shown(name)} can't name a leaderboard: lower-case letters, digits and -`)
  if (!Number.isInteger(shards) || shards < 1 || shards > MOST_BOARD_SHARDS)
    invalid(`leaderboard ${name} has ${shards} shards; 1 to ${MOST_BOARD_SHARDS} are allowed`)
  const checked: Record<string, readonly FacetValue[]> = {}
  for (const [facet, values] of Object.entries(where)) {
    const declared = Object.hasOwn(facets, facet) ? facets[facet] : undefined
    if (declared?.kind !== 'anyOf')
      invalid(`leaderboard ${name} counts by ${shown(facet)}, which is not an anyOf facet`)
    for (const value of values ?? []) {
      const problem = valueProblem(declared, value)
      if (problem !== undefined) invalid(`leaderboard ${name} counts ${facet}, which ${problem}`)
    }
    checked[facet] = [...((values ?? []) as readonly FacetValue[])]
  }
  return Object.freeze({ name, where: checked, shards })
}

function storedAttributes(
  names: Readonly<Record<string, string | StoredAttribute>>,
): Readonly<Record<string, StoredAttribute>> {
  const stored: Record<string, StoredAttribute> = {}
  const seen = new Map<string, string>()
  for (const [attribute, given] of Object.entries(names)) {
    const entry: StoredAttribute = typeof given === 'string' ? { name: given, shownIn: 'list' } : given
    if (entry.name === '' || entry.also === '' || isReservedName(entry.name) || isReservedName(entry.also ?? '')) {
      invalid(
        `${attribute} can't be stored as ${shown(entry.name)}, which the table uses itself; choose another short name`,
      )
    }
    for (const name of entry.also === undefined ? [entry.name] : [entry.name, entry.also]) {
      const other = seen.get(name)
      if (other !== undefined) invalid(`${other} and ${attribute} are both stored as ${shown(name)}`)
      seen.set(name, attribute)
    }
    stored[attribute] = Object.freeze({ ...entry })
  }
  return Object.freeze(stored)
}

/** Whether DynamoDB takes a name for an index. */
export function isIndexName(name: string): boolean {
  return /^[A-Za-z0-9_.-]{3,255}$/.test(name)
}

const AROUND: readonly unknown[] = ['parent', 'below', 'above'] satisfies Around[]

function checkedIndexes(
  indexes: Readonly<Record<string, IndexDeclaration>>,
  facets: Facets,
  order: string,
): Readonly<Record<string, IndexDeclaration>> {
  for (const [name, index] of Object.entries(indexes)) {
    const { partition = [], sort = [], only = {}, around, across } = index
    if (!isIndexName(name)) invalid(`${shown(name)} can't name an index: 3 to 255 letters, digits, _ . -`)
    if (across !== undefined && (!Number.isInteger(across) || across < 1 || across > MOST_PARTITIONS))
      invalid(`index ${name} is across ${shown(across)} partitions; 1 to ${MOST_PARTITIONS} are allowed`)
    if (around !== undefined) {
      if (!AROUND.includes(around)) invalid(`index ${name} is around ${shown(around)}; it can be ${AROUND.join(', ')}`)
      const others = Object.keys(index).filter((key) => key !== 'around')
      if (others.length > 0)
        invalid(
          `index ${name} assembles collections around a parent, so it has no ${others.join(', ')}; leave that out`,
        )
    }
    const keyed = [...partition, ...sort]
    if (keyed.includes(order)) {
      const after = keyed.slice(keyed.indexOf(order) + 1)
      const reason =
        after.length === 0
          ? 'which ends every sort key by itself'
          : `before ${after.join(', ')}: items of one ${after[0]} would lie scattered over all of ${order}, and no range would hold them`
      invalid(`index ${name} names ${order}, ${reason}; leave it out, and it comes after the facets`)
    }
    if (new Set(keyed).size !== keyed.length) invalid(`index ${name} names a facet twice: ${keyed.join(', ')}`)
    for (const facet of [...keyed, ...Object.keys(only)]) {
      if (!Object.hasOwn(facets, facet))
        invalid(
          `index ${name} uses ${shown(facet)}, which is not a facet; the facets are ${Object.keys(facets).join(', ')}`,
        )
    }
    for (const [facet, values] of Object.entries(only)) {
      if (values === undefined || values.length === 0)
        invalid(`index ${name} is only for ${facet} in an empty set; it would hold nothing`)
      for (const value of values) {
        const problem = valueProblem(facets[facet] as Facet, value)
        if (problem !== undefined) invalid(`index ${name} is only for ${facet}, which ${problem}`)
      }
    }
  }
  return Object.freeze({ ...indexes })
}

function invalid(message: string): never {
  throw new LapidaryError('declaration_invalid', message)
}
