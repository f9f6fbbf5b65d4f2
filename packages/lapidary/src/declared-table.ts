import { indexes } from './layouts/indexes/indexes.ts'
import type { Layout } from './layouts/layout.ts'
import { LapidaryError } from './model/errors.ts'
import { furtherOrders } from './model/order.ts'
import type { Collections, ReaderOptions } from './read/reader.ts'
import { defineTable, type TableDefinition } from './schema/table-definition.ts'
import type { KeyNames } from './table/key-names.ts'

/** The part of what `createLapidary` takes that decides the table. */
export type TableOptions = Pick<ReaderOptions<Collections>, 'tableName' | 'collections' | 'layout' | 'keys'>

/** What a database has beside its collections, by the names that these can't have in code. */
export const SERVICES = ['stream', 'derived', 'table'] as const

/**
 * Defines the table of options that go together.
 *
 * @throws {LapidaryError} `declaration_invalid` when collections would meet, or do not fit the layout.
 */
export function declaredTable(options: TableOptions): TableDefinition {
  const { collections, layout = indexes() } = options
  requireApart(collections)
  const definition = tableFor(options)
  requireOrders(collections, layout)
  requireCarriers(collections, layout)
  requireAssembled(collections)
  return definition
}

/**
 * The table that collections need, without a client.
 *
 * @example
 * ```ts run
 * const { indexes } = tableFor({ tableName, collections: { comments } })
 * ```
 */
export function tableFor({ tableName, collections, layout = indexes(), keys }: TableOptions): TableDefinition {
  if (keys !== undefined) requireOtherNames(collections, keys)
  return defineTable(
    tableName,
    Object.values(collections).map((collection) => layout.of(collection).indexes),
    keys,
  )
}

/** Indexes name the attributes that they hold, and no index can name a key of the table. */
function requireOtherNames(collections: Collections, { pk, sk }: KeyNames): void {
  for (const { name, attributes = {} } of Object.values(collections)) {
    const names = Object.values(attributes).flatMap((stored) => [stored.name, stored.also])
    const taken = names.find((stored) => stored === pk || stored === sk)
    if (taken === undefined) continue
    throw new LapidaryError(
      'declaration_invalid',
      `${name} stores an attribute as ${taken}, which is a key of the table; give it another short name`,
    )
  }
}

/** Keys begin with the collection's name; two collections of one name would meet. */
function requireApart(collections: Collections): void {
  const service = Object.keys(collections).find((name) => (SERVICES as readonly string[]).includes(name))
  if (service !== undefined) {
    throw new LapidaryError(
      'declaration_invalid',
      `a collection can't be called ${service}, which every database has itself; choose another name in code`,
    )
  }
  const names = Object.values(collections).map(({ name }) => name)
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) {
    throw new LapidaryError(
      'declaration_invalid',
      `two collections are named ${twice}, so their keys would meet; rename one, or give it a table of its own`,
    )
  }
}

/** A layout that knows one order would answer for each with the default one. */
function requireOrders(collections: Collections, { name, capabilities }: Layout): void {
  const several = Object.values(collections).find((collection) => furtherOrders(collection).length > 0)
  if (several === undefined || capabilities.orders === 'several') return
  throw new LapidaryError(
    'declaration_invalid',
    `the layout ${name} has lists in one order, and ${several.name} declares ${Object.keys(several.orders).join(', ')}; leave out all but the first`,
  )
}

/** A leaderboard lies in an index of its collection; without one it would be missing without a word. */
function requireCarriers(collections: Collections, layout: Layout): void {
  for (const collection of Object.values(collections)) {
    const [board] = collection.leaderboards
    if (board === undefined || layout.of(collection).carrier !== undefined) continue
    throw new LapidaryError(
      'declaration_invalid',
      `${collection.name} has no index that can carry its leaderboard ${board.name}; declare an index whose keys are texts`,
    )
  }
}

/** What lies around a parent lies in its partition, which goes by one name; of each side there is one collection. */
function requireAssembled(collections: Collections): void {
  const all = Object.values(collections).flatMap((collection) =>
    Object.entries(collection.indexes ?? {}).flatMap(([index, { around }]) =>
      around === undefined ? [] : [{ index, around, collection }],
    ),
  )
  for (const { index, around, collection } of all) {
    const others = all.filter((other) => other.index === index && other.collection !== collection)
    const same = others.find((other) => other.around === around)
    if (same !== undefined) {
      const names = `${collection.name} and ${same.collection.name}`
      throw new LapidaryError(
        'declaration_invalid',
        `index ${index} has two collections as ${around}, ${names}; give one of them another index`,
      )
    }
    const parent = others.find((other) => other.around === 'parent')?.collection.name
    if (around === 'parent' || parent === undefined || collection.scope.name === parent) continue
    throw new LapidaryError(
      'declaration_invalid',
      `index ${index} assembles ${collection.name} around ${parent}, but its scope is ${collection.scope.name}; say scope: { name: '${parent}', … }`,
    )
  }
}
