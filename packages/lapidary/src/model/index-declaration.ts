import { isDynamoDbName } from './dynamodb-name.ts'
import { shown } from './errors.ts'
import type { Facet, Facets, FacetValue } from './facet.ts'
import { valueProblem } from './facet-values.ts'
import { invalidDeclaration } from './invalid-declaration.ts'
import { knownOptions, type OptionNames } from './known-options.ts'
import { type DeclaredOrders, furtherOrders, orderNamed } from './order.ts'

/** The part that a collection's items have in an assembled index: `below` or `above` their parent, or they are the parents. */
export type Around = 'parent' | 'below' | 'above'

/**
 * One secondary index, named by its access pattern.
 *
 * `partition` facets make the partition key, `sort` facets a prefix of the sort key (a composite sort key:
 * `CANCELLED#2019-07-01…`), and `only` makes it sparse: items whose facet is outside the given values are not in it.
 */
export interface IndexDeclaration<Name extends string = string> {
  /** The name of the order of its lists; the default one when not given. */
  readonly order?: string
  readonly partition?: readonly Name[]
  readonly sort?: readonly Name[]
  readonly only?: { readonly [facet in Name]?: readonly FacetValue[] }
  /**
   * Lists the items of all scopes, over this many partitions, which a query without a scope merges: 1000 writes a second for each. The index
   * answers no query of some scopes.
   */
  readonly across?: number
  /**
   * Spreads each list over this many partitions, which a query merges, for a scope that has more than 1000 writes a second; each partition takes
   * 1000. Each costs a page at least half a read unit.
   */
  readonly shards?: number
  /** Keeps the items of other collections out of the index, so that `scan` reads no more than it returns. A sparse index does that too. */
  readonly scan?: boolean
  /**
   * Assembles collections of one table in one partition: a parent; below it the items of one collection whose scope it is, above it those of
   * another, the newest next to it. Each collection declares the index under the same name, with nothing else.
   */
  readonly around?: Around
}

const INDEX_NAMES: OptionNames<IndexDeclaration> = {
  ...{ order: true, partition: true, sort: true, only: true, across: true, shards: true, scan: true, around: true },
}

/** The most partitions of an index of all scopes, or of one scope: reading the index reads them all. */
const MOST_PARTITIONS = 32

const AROUND: readonly unknown[] = ['parent', 'below', 'above'] satisfies Around[]

/** @throws {LapidaryError} `declaration_invalid` for an index that can't be, and for an order that is not declared. */
export function checkedIndexes(
  indexes: Readonly<Record<string, IndexDeclaration>>,
  facets: Facets,
  declared: DeclaredOrders,
): Readonly<Record<string, IndexDeclaration>> {
  for (const [name, index] of Object.entries(indexes)) {
    knownOptions(`index ${name}`, index, INDEX_NAMES, 'declaration_invalid')
    const { partition = [], sort = [], only = {}, around, across, shards, order: by } = index
    if (!isDynamoDbName(name)) invalidDeclaration(`${shown(name)} can't name an index: 3 to 255 letters, digits, _ . -`)
    for (const [part, named] of Object.entries({ partition, sort })) {
      if (!Array.isArray(named))
        invalidDeclaration(`index ${name} has the ${part} ${shown(named)}; give its facets as a list`)
    }
    if (only === null || typeof only !== 'object' || Array.isArray(only))
      invalidDeclaration(
        `index ${name} is only for ${shown(only)}; give the values of each facet as { ${Object.keys(facets)[0] ?? 'facet'}: […] }, or leave only out`,
      )
    if (across !== undefined && (!Number.isInteger(across) || across < 1 || across > MOST_PARTITIONS))
      invalidDeclaration(`index ${name} is across ${shown(across)} partitions; 1 to ${MOST_PARTITIONS} are allowed`)
    if (shards !== undefined && (!Number.isInteger(shards) || shards < 2 || shards > MOST_PARTITIONS))
      invalidDeclaration(
        `index ${name} has ${shown(shards)} shards for each scope; 2 to ${MOST_PARTITIONS} are allowed`,
      )
    if (shards !== undefined && across !== undefined)
      invalidDeclaration(`index ${name} is across ${across} partitions, which are its shards already; leave out shards`)
    if (around !== undefined) {
      if (!AROUND.includes(around))
        invalidDeclaration(`index ${name} is around ${shown(around)}; it can be ${AROUND.join(', ')}`)
      const others = Object.keys(index).filter((key) => key !== 'around')
      if (others.length > 0)
        invalidDeclaration(
          `index ${name} assembles collections around a parent, so it has no ${others.join(', ')}; leave that out`,
        )
    }
    if (by !== undefined && !Object.hasOwn(declared.orders, by))
      invalidDeclaration(
        `index ${name} is in the order ${shown(by)}; the orders are ${Object.keys(declared.orders).join(', ')}`,
      )
    const order = orderNamed(declared, by).attribute
    const keyed = [...partition, ...sort]
    if (keyed.includes(order)) {
      const after = keyed.slice(keyed.indexOf(order) + 1)
      const reason =
        after.length === 0
          ? 'which ends every sort key by itself'
          : `before ${after.join(', ')}: items of one ${after[0]} would lie scattered over all of ${order}, and no range would hold them`
      invalidDeclaration(`index ${name} names ${order}, ${reason}; leave it out, and it comes after the facets`)
    }
    if (new Set(keyed).size !== keyed.length)
      invalidDeclaration(`index ${name} names a facet twice: ${keyed.join(', ')}`)
    for (const facet of [...keyed, ...Object.keys(only)]) {
      if (!Object.hasOwn(facets, facet))
        invalidDeclaration(
          `index ${name} uses ${shown(facet)}, which is not a facet; the facets are ${Object.keys(facets).join(', ')}`,
        )
      if (facets[facet]?.listed === false)
        invalidDeclaration(
          `index ${name} is on ${facet}, which is declared listed: false, so that it is in no key; leave out one of them`,
        )
    }
    for (const [facet, values] of Object.entries(only)) {
      if (!Array.isArray(values))
        invalidDeclaration(
          `index ${name} is only for ${facet} in ${shown(values)}; give its values as a list, [${shown(values)}]`,
        )
      if (values.length === 0)
        invalidDeclaration(
          `index ${name} is only for ${facet} in an empty set; it would hold nothing: name the values, or leave ${facet} out`,
        )
      for (const value of values) {
        const problem = valueProblem(facets[facet] as Facet, value)
        if (problem !== undefined) invalidDeclaration(`index ${name} is only for ${facet}, which ${problem}`)
      }
    }
  }
  const ordered = new Set(Object.values(indexes).map(({ order }) => orderNamed(declared, order)))
  for (const [name, order] of furtherOrders(declared)) {
    if (!ordered.has(order))
      invalidDeclaration(
        `no index is in the order ${name}; declare one, as ${indexInOrder('all', name)}: { order: ${shown(name)} }`,
      )
  }
  return Object.freeze({ ...indexes })
}

/** Names the index that is like another one in an order of its own: `allByAmount`. */
export function indexInOrder(index: string, order: string): string {
  return `${index}By${order.charAt(0).toUpperCase()}${order.slice(1)}`
}
