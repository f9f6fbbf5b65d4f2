import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Collection, StoredAttribute } from '../../model/collection.ts'
import { declaredValues, type Facet, type FacetType, type FacetValue } from '../../model/facet.ts'
import { facetAttributes } from '../../model/facet-origin.ts'
import type { IdOrder, Order } from '../../model/order.ts'
import type { Statistics } from '../../model/statistics-declaration.ts'

/** A facet as plain data. What is no part of what it counts as, such as its frequencies, is left out. */
interface PlainFacet {
  readonly kind: Facet['kind']
  readonly values?: readonly FacetValue[] | undefined
  readonly type?: FacetType | undefined
  readonly optional?: boolean | undefined
  readonly separator?: string | undefined
  /** Where its values are, or the version of the function that makes them. */
  readonly path?: string | undefined
  readonly computed?: number | undefined
}

/** What derived data need of a declaration, as plain data under the names of attributes. */
export interface PlainDeclaration {
  readonly collection: string
  readonly scope: string
  readonly facets: readonly (readonly [name: string, facet: PlainFacet])[]
  /** Stored names, where they are others. */
  readonly stored: Readonly<Record<string, string>>
  /** Where positions are a part of it. */
  readonly placed?: { readonly id: string; readonly idOrder: IdOrder; readonly order: Order } | undefined
}

/** @param facets Those that are needed. */
export function plainDeclaration(
  collection: Collection,
  facets: readonly string[],
  placed?: PlainDeclaration['placed'],
): PlainDeclaration {
  const { name, scope, attributes = {} } = collection
  const own = Object.fromEntries(facets.map((facet) => [facet, collection.facets[facet] as Facet]))
  const named = [
    scope.attribute,
    ...facetAttributes(own),
    ...(placed === undefined ? [] : [placed.id, placed.order.attribute]),
  ]
  const stored = named.flatMap((attribute) => {
    const other = Object.hasOwn(attributes, attribute) ? attributes[attribute]?.name : undefined
    return other === undefined || other === attribute ? [] : [[attribute, other] as const]
  })
  return {
    collection: name,
    scope: scope.attribute,
    facets: facets.map((facet) => [facet, plainFacet(collection.facets[facet] as Facet)] as const),
    stored: Object.fromEntries(stored),
    ...(placed === undefined ? {} : { placed }),
  }
}

function plainFacet(facet: Facet): PlainFacet {
  const values = declaredValues(facet)
  return {
    kind: facet.kind,
    ...(values === undefined ? {} : { values: sortedValues(values) }),
    ...(facet.type === undefined ? {} : { type: facet.type }),
    ...(facet.optional ? { optional: true } : {}),
    ...(facet.kind === 'eachOf' && facet.separator !== undefined ? { separator: facet.separator } : {}),
    ...plainOrigin(facet),
  }
}

function plainOrigin({ origin }: Facet): Pick<PlainFacet, 'path' | 'computed'> {
  if (origin === undefined) return {}
  return 'of' in origin ? { computed: origin.version } : { path: origin.path }
}

/** Values in an order of their own, in whatever one they are declared; no two of a facet read the same. */
export function sortedValues(values: readonly FacetValue[]): readonly FacetValue[] {
  return values.toSorted((a, b) => (String(a) < String(b) ? -1 : 1))
}

const NO_SCHEMA: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'lapidary', validate: (value) => ({ value }) },
}

const NO_STATISTICS: Statistics = { across: undefined, days: undefined }

/**
 * A collection of which only that is right which derived data are made of. What functions make is read by {@link declaredReader}, as if it were
 * an attribute.
 */
export function declarationOf(plain: PlainDeclaration): Collection {
  const { collection: name, scope, facets, stored, placed } = plain
  const order: Order = placed?.order ?? { attribute: scope, type: 'string' }
  const made = Object.fromEntries(facets.map(([facet, each]) => [facet, facetOf(each)]))
  const attributes = [scope, ...facetAttributes(made), ...(placed ? [placed.id, order.attribute] : [])]
  const named = attributes.map((attribute): [string, StoredAttribute] => {
    const own = Object.hasOwn(stored, attribute) ? stored[attribute] : undefined
    return [attribute, { name: own ?? attribute, shownIn: 'list' }]
  })
  return Object.freeze<Collection>({
    name,
    schema: NO_SCHEMA,
    output: undefined,
    id: placed?.id ?? scope,
    idOrder: placed?.idOrder ?? 'escaped',
    scope: { name: 'SCOPE', attribute: scope },
    order,
    orders: { [order.attribute]: order },
    facets: made,
    attributes: Object.fromEntries(named),
    // Read with all of its digits, whatever the declaration makes of them.
    numbers: order.type === 'decimal' ? { [order.attribute]: 'decimal' } : {},
    ...{ version: undefined, updatedAt: undefined, expires: undefined, codec: undefined, indexes: undefined },
    ...{ pages: [], itemBytes: 512, sums: [], statistics: NO_STATISTICS, leaderboards: [] },
  })
}

/** All that are here are counted. */
function facetOf({ kind, values, type, optional = false, separator, path }: PlainFacet): Facet {
  const known = type === 'boolean' && values === undefined ? [false, true, ...(optional ? [null] : [])] : values
  const origin = path === undefined ? undefined : { path }
  return { kind, values: known, type, optional, separator, frequencies: undefined, counted: true, origin } as Facet
}
