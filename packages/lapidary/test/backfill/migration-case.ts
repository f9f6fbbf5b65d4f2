import fc from 'fast-check'
import type { IndexDeclaration, Item, QueryInput } from 'lapidary'
import {
  type CaseCollection,
  type CollectionCase,
  changeOf,
  collectionCase,
  collectionOf,
  type FacetCase,
  itemsOf,
  queryOf,
} from 'lapidary-testing'

/** Two declarations of one collection, and what happens while the first becomes the second. */
export interface MigrationCase {
  readonly made: CollectionCase
  /** The facet that only the first has, and the one that only the second has. */
  readonly dropped: string | undefined
  readonly added: string | undefined
  /** Which of the two declares the order by rank. */
  readonly ranked: { readonly before: boolean; readonly after: boolean }
  /** The closed facet that gets one more value. */
  readonly widened: string | undefined
  readonly items: readonly Item[]
  readonly changes: readonly Item[]
  readonly queries: readonly QueryInput[]
  readonly seed: number
}

/** Made-up migrations: indexes come and go and change their prefixes, so does an order, a facet is added, one dropped, one gets another value. */
export function migrationCase(): fc.Arbitrary<MigrationCase> {
  // A process that does not declare what the order is by would store the digits as texts.
  const cases = collectionCase({ places: false }).filter(({ rank }) => rank?.type !== 'decimal')
  return cases.chain((drawn) => {
    // Merges are capped elsewhere; here every index may answer.
    const made = { ...drawn, maxSources: 32 }
    const names = Object.keys(made.facets)
    const closed = names.filter((name) => {
      const { closed: isClosed, values = [] } = made.facets[name] ?? {}
      return isClosed && values.length > 1 && !hasSeveral(made, name)
    })
    return fc
      .record({
        dropped: fc.option(fc.constantFrom(...names), { nil: undefined, freq: 2 }),
        added: fc.option(fc.constantFrom(...names), { nil: undefined, freq: 2 }),
        widened:
          closed.length === 0 ? fc.constant(undefined) : fc.option(fc.constantFrom(...closed), { nil: undefined }),
        ranked: fc.record({ before: fc.boolean(), after: fc.boolean() }),
        items: itemsOf(made, 30),
        changes: fc.array(changeOf(made), { minLength: 20, maxLength: 20 }),
        queries: fc.array(queryOf(made), { minLength: 6, maxLength: 6 }),
        seed: fc.nat(),
      })
      .map((rest) => {
        // A process whose short names do not have an attribute can't copy it to further entries.
        const isUnseen = made.shortNames && names.some((name) => hasSeveral(made, name))
        const added = rest.added === rest.dropped || isUnseen ? undefined : rest.added
        const isOwn = rest.widened === added || rest.widened === rest.dropped
        const { before, after } = rest.ranked
        const ranked = { before: before && made.rank !== undefined, after: after && made.rank !== undefined }
        return { made, ...rest, ranked, added, widened: isOwn ? undefined : rest.widened }
      })
  })
}

/** Whether an item may have several values of a facet. */
export function hasSeveral({ facets }: CollectionCase, facet: string | undefined): boolean {
  const kind = facets[facet ?? '']?.kind
  return kind === 'eachOf' || kind === 'hierarchy'
}

/** What the oracle goes by: every facet of both declarations. */
export function declaredInAll({ made, ranked }: MigrationCase): CaseCollection {
  return declared({ ...made, rank: ranked.after || ranked.before ? made.rank : undefined }, {}, '', made, 'base')
}

/** The first declaration. */
export function declaredBefore({ made, added, widened, ranked }: MigrationCase): CaseCollection {
  const { [added ?? '']: _, ...facets } = made.facets
  const narrow = widened === undefined ? undefined : facets[widened]
  const own = narrow === undefined ? facets : { ...facets, [widened as string]: narrowed(narrow) }
  const rank = ranked.before ? made.rank : undefined
  return declared({ ...made, facets: own, rank }, made.indexes, 'index', made, 'base', added)
}

/** The second: each index has another name, unless it stays as it is. */
export function declaredAfter({ made, dropped, added, ranked }: MigrationCase): CaseCollection {
  const { [dropped ?? '']: _, ...facets } = made.facets
  // Where indexes do not hold everything, one that shows a new facet is another index.
  const base = made.shortNames && added !== undefined ? 'wider' : 'base'
  return declared(
    { ...made, facets, rank: ranked.after ? made.rank : undefined },
    made.otherIndexes,
    'other',
    made,
    base,
  )
}

function narrowed(facet: FacetCase): FacetCase {
  return { ...facet, values: facet.values.slice(0, -1) }
}

/** One index of whole scopes in each order. */
function answering({ rank }: CollectionCase, base: string): Readonly<Record<string, IndexDeclaration>> {
  return { [base]: {}, ...(rank === undefined ? {} : { [`${base}ByRank`]: { order: 'rank' } }) }
}

/** Declares one index that answers everything, and those of the others whose facets and values exist. */
function declared(
  made: CollectionCase,
  indexes: CollectionCase['indexes'],
  name: string,
  all: CollectionCase,
  base: string,
  unknown?: string,
): CaseCollection {
  const has = (facet: string): boolean => Object.hasOwn(made.facets, facet)
  const ofValues = (only: IndexDeclaration['only']): boolean =>
    Object.entries(only ?? {}).every(([facet, values]) =>
      values?.every((value) => made.facets[facet]?.values.includes(value)),
    )
  const usable = Object.values(indexes ?? {}).filter(
    ({ partition = [], sort = [], only, order }) =>
      (order === undefined || made.rank !== undefined) &&
      [...partition, ...sort, ...Object.keys(only ?? {})].every(has) &&
      ofValues(only),
  )
  const named = Object.fromEntries(usable.map((index, i) => [`${name}${i}`, index]))
  const collection = collectionOf({ ...made, shortNames: false }, { ...answering(made, base), ...named })
  if (!all.shortNames) return collection
  // A facet more or less is no other name for the rest; the attribute of one that is dropped stays.
  const { [unknown ?? '']: _, ...attributes } = collectionOf(all, answering(all, 'base')).attributes ?? {}
  return { ...collection, attributes }
}
