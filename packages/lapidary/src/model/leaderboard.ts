import { shown } from './errors.ts'
import type { EachOf, Facets, FacetValue, OneOf } from './facet.ts'
import type { ValueOf } from './facet-types.ts'
import { valueProblem } from './facet-values.ts'
import { invalidDeclaration } from './invalid-declaration.ts'
import { knownOptions, type OptionNames } from './known-options.ts'
import { summable } from './sums-declaration.ts'

/**
 * A ranking of scopes by their items in a selection, for all items and for each value of the `oneOf` facets: by how many there are, or by a sum or
 * an average of their numbers.
 */
export interface LeaderboardOptions<F extends Facets = Facets, Attribute extends string = string> {
  /** Values of `anyOf` facets whose items count; all items when empty or not given. */
  readonly where?: { readonly [K in keyof F]?: F[K] extends OneOf | EachOf ? never : readonly ValueOf<F[K]>[] }
  /** The attribute whose sum ranks a scope, the highest first. Items without it do not count. */
  readonly sum?: Attribute
  /** The attribute whose average ranks a scope, the highest first. Items without it do not count. */
  readonly average?: Attribute
  /** How many items with the attribute a scope needs for a rank by its average; 1 when not given. */
  readonly atLeast?: number
  /**
   * Partitions that share the writes of a board, 1000 units a second each; reading the board reads them all. 1 when not given, which is enough
   * below some 300 changes of the board a second.
   */
  readonly shards?: number
}

/** A declared leaderboard with everything filled in. */
export interface Leaderboard {
  readonly name: string
  readonly where: Readonly<Record<string, readonly FacetValue[]>>
  readonly shards: number
  /** By what scopes are ranked, where it is not the count. */
  readonly by?: Ranking
}

/** A ranking by the numbers of an attribute. */
export interface Ranking {
  readonly of: 'sum' | 'average'
  readonly attribute: string
  /** The least number of items for a rank. */
  readonly atLeast: number
}

/** The most shards of a leaderboard: reading the board reads them all. */
export const MOST_BOARD_SHARDS = 64
/** As many items as a board counts. */
const MOST_AT_LEAST = 1_000_000_000

const BOARD_NAMES: OptionNames<LeaderboardOptions> = {
  ...{ where: true, sum: true, average: true, atLeast: true, shards: true },
}

interface Declaring {
  readonly id: string
  readonly scope: { readonly attribute: string }
  readonly facets: Facets
}

/** @throws {LapidaryError} `declaration_invalid` for a name, a condition, an attribute or a number that is not usable. */
export function checkedBoard(name: string, board: LeaderboardOptions, declaring: Declaring): Leaderboard {
  const { where = {}, shards = 1 } = knownOptions(`leaderboard ${name}`, board, BOARD_NAMES, 'declaration_invalid')
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(name))
    invalidDeclaration(`${shown(name)} can't name a leaderboard: lower-case letters, digits and -`)
  if (!Number.isInteger(shards) || shards < 1 || shards > MOST_BOARD_SHARDS)
    invalidDeclaration(`leaderboard ${name} has ${shards} shards; 1 to ${MOST_BOARD_SHARDS} are allowed`)
  const by = checkedRanking(name, board, declaring)
  return Object.freeze({
    name,
    where: checkedWhere(name, where, declaring),
    shards,
    ...(by === undefined ? {} : { by }),
  })
}

function checkedWhere(
  name: string,
  where: NonNullable<LeaderboardOptions['where']>,
  { facets }: Declaring,
): Leaderboard['where'] {
  const checked: Record<string, readonly FacetValue[]> = {}
  for (const [facet, values] of Object.entries(where)) {
    const declared = Object.hasOwn(facets, facet) ? facets[facet] : undefined
    if (declared?.kind !== 'anyOf')
      invalidDeclaration(`leaderboard ${name} counts by ${shown(facet)}, which is not an anyOf facet`)
    for (const value of values ?? []) {
      const problem = valueProblem(declared, value)
      if (problem !== undefined) invalidDeclaration(`leaderboard ${name} counts ${facet}, which ${problem}`)
    }
    checked[facet] = [...((values ?? []) as readonly FacetValue[])]
  }
  return checked
}

function checkedRanking(name: string, board: LeaderboardOptions, declaring: Declaring): Ranking | undefined {
  const { sum, average, atLeast } = board
  if (sum !== undefined && average !== undefined)
    invalidDeclaration(
      `leaderboard ${name} is by the sum of ${shown(sum)} and by the average of ${shown(average)}; declare two boards`,
    )
  if (average === undefined && atLeast !== undefined)
    invalidDeclaration(
      `leaderboard ${name} has atLeast, which a board by an average takes; say average: or leave it out`,
    )
  if (atLeast !== undefined && !(Number.isInteger(atLeast) && atLeast >= 1 && atLeast <= MOST_AT_LEAST))
    invalidDeclaration(
      `leaderboard ${name} ranks scopes of at least ${shown(atLeast)} items; say a whole number from 1 to ${MOST_AT_LEAST}`,
    )
  const attribute = sum ?? average
  if (attribute === undefined) return undefined
  return Object.freeze({
    of: sum === undefined ? 'average' : 'sum',
    attribute: summable(attribute, `leaderboard ${name}`, declaring),
    atLeast: atLeast ?? 1,
  })
}
