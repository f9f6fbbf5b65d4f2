import type { GlobalSecondaryIndexDescription, TableDescription } from '@aws-sdk/client-dynamodb'
import { type IndexDefinition, keyAttributes } from '../layouts/index-definition.ts'
import { haveSameKeys } from '../layouts/key-rule.ts'
import type { Entry } from '../model/entry.ts'
import { LapidaryError, shown, unprocessable } from '../model/errors.ts'
import type { Facet } from '../model/facet.ts'
import { itemProblem, typedValue, valueProblem } from '../model/facet-values.ts'
import { orderAttributes } from '../model/order.ts'
import { orderValue } from '../model/position.ts'
import type { CollectionContext } from '../operations/context.ts'
import { keyText } from '../schema/compare-table.ts'
import {
  type DeclaredIndex,
  declaredIndexes,
  type IndexRegister,
  isSameIndex,
  projects,
  type RegisteredIndex,
} from '../schema/index-register.ts'
import type { BackfillOptions } from './backfill-options.ts'

/** The indexes that are filled: one of the declared ones, or all. */
export function wantedIndexes({ layout, collection }: CollectionContext, index: string | undefined): readonly string[] {
  const names = layout.indexes.map(({ name }) => name)
  if (index === undefined) return names
  if (names.includes(index)) return [index]
  throw new LapidaryError(
    'unprocessable',
    `${collection.name} declares no index ${shown(index)}; there are ${names.join(', ')}`,
  )
}

/** What items get that lack a facet, or what an order is by, as it is stored. */
export function fillsOf({ collection, codec }: CollectionContext, fill: BackfillOptions['fill'] = {}): Entry {
  const errors: { path: string; message: string }[] = []
  const values = Object.entries(fill).map(([path, given]) => {
    const facet = Object.hasOwn(collection.facets, path) ? collection.facets[path] : undefined
    const order = Object.values(collection.orders).find(({ attribute }) => attribute === path)
    const isNumber = facet === undefined && order?.type === 'number' && typeof given === 'string' && given !== ''
    const value = facet === undefined ? (isNumber ? Number(given) : given) : filled(facet, given)
    const names = [...Object.keys(collection.facets), ...orderAttributes(collection)].join(', ')
    const unknown = order === undefined ? `is neither a facet nor what an order is by; there are ${names}` : undefined
    const message = facet === undefined ? unknown : fillProblem(facet, value)
    const elsewhere =
      facet?.origin === undefined
        ? undefined
        : 'has its values from a path or a function, so there is no attribute to fill'
    const problem = elsewhere ?? message
    if (problem !== undefined) errors.push({ path, message: problem })
    if (order !== undefined) orderValue(order, value)
    return [path, value] as const
  })
  if (errors.length > 0) throw unprocessable('the fill was refused', errors)
  return codec.toEntry(Object.fromEntries(values))
}

/** One value fills an array with itself. */
function filled(facet: Facet, given: unknown): unknown {
  const value = typedValue(facet, given)
  const isArray = facet.kind === 'eachOf' && facet.separator === undefined && value !== null
  return isArray ? [value] : value
}

function fillProblem(facet: Facet, value: unknown): string | undefined {
  return facet.kind === 'eachOf' ? itemProblem(facet, value) : valueProblem(facet, value)
}

/**
 * The register with the indexes and fills of a backfill, and without what is neither declared nor in the table. What changes counts
 * from now: writers have to hear of it first.
 *
 * @throws {LapidaryError} `declaration_invalid` where an index would get other keys under the same names, while processes that
 * declare it as it was read it.
 */
export function withBackfill(
  context: CollectionContext,
  register: IndexRegister,
  {
    wanted,
    fills,
    inTable,
    now,
  }: {
    readonly wanted: readonly string[]
    readonly fills: Entry
    readonly inTable: readonly string[]
    readonly now: number
  },
): IndexRegister {
  const { collection, layout, codec } = context
  const declared = declaredIndexes(collection, layout)
  const fillable = [...Object.keys(collection.facets), ...orderAttributes(collection)].map(codec.storedName)
  const known = Object.entries(register.indexes).filter(([name]) => declared.has(name) || inTable.includes(name))
  const indexes: Record<string, RegisteredIndex> = Object.fromEntries(known)
  const newFills = Object.fromEntries(
    Object.entries({ ...register.fills, ...fills }).filter(([name]) => fillable.includes(name)),
  )
  const areFillsNew = JSON.stringify(newFills) !== JSON.stringify(register.fills)
  for (const name of wanted) {
    const own = declared.get(name) as DeclaredIndex
    const registered = Object.hasOwn(indexes, name) ? indexes[name] : undefined
    if (isSameIndex(own, registered) && !(areFillsNew && registered?.state === 'filling')) continue
    if (registered?.digest !== own.digest && registered?.rule !== undefined && own.rule !== undefined) {
      if (haveSameKeys(registered.rule, own.rule)) throw sameKeys(name)
    }
    indexes[name] = { ...own, state: 'filling', since: now, proven: true }
  }
  const isSame = JSON.stringify([indexes, newFills]) === JSON.stringify([register.indexes, register.fills])
  return isSame ? register : { ...register, indexes, fills: newFills }
}

function sameKeys(name: string): LapidaryError {
  return new LapidaryError(
    'declaration_invalid',
    `the table has the index ${name} under another condition or order, with the same keys, and processes may read it by that; give the index another name`,
  )
}

/** @throws {LapidaryError} `table_mismatch` where the table lacks an index that is to be filled, or it shows too little or has other keys. */
export function requireIndexes(
  table: TableDescription,
  { layout }: CollectionContext,
  wanted: readonly string[],
  tableName: string,
): void {
  const narrow = layout.indexes.filter(({ name, include }) => {
    const { ProjectionType, NonKeyAttributes = [] } = indexIn(table, name)?.Projection ?? {}
    return wanted.includes(name) && ProjectionType === 'INCLUDE' && !projects(NonKeyAttributes, include)
  })
  if (narrow.length > 0) {
    const names = narrow.map(({ name }) => name).join(', ')
    throw new LapidaryError(
      'table_mismatch',
      `the index ${names} of ${tableName} does not project all that lists show, and a projection can't be changed; declare it under another name, or delete it and create it anew`,
      { details: { narrow: narrow.map(({ name }) => name) } },
    )
  }
  requireDeclaredKeys(table, layout.indexes, wanted)
  const absent = wanted.filter((name) => indexIn(table, name) === undefined)
  if (absent.length === 0) return
  throw new LapidaryError(
    'table_mismatch',
    `the table ${tableName} has no index ${absent.join(', ')}; create it (lapidary table shows it, lapidary doctor says how), then fill it`,
    { details: { absent } },
  )
}

/** What is written under the declared keys would never be in an index that has others. */
function requireDeclaredKeys(
  table: TableDescription,
  indexes: readonly IndexDefinition[],
  wanted: readonly string[],
): void {
  for (const index of indexes) {
    const { name } = index
    const found = indexIn(table, name)
    const declared = keyAttributes(index)
      .map((key) => key.name)
      .join(', ')
    if (found === undefined || !wanted.includes(name) || keyText(found.KeySchema) === declared) continue
    throw new LapidaryError(
      'table_mismatch',
      `the table's index ${name} has the keys ${keyText(found.KeySchema)}, and the declared one ${declared}; keys can't be changed, so give the index another name, or delete it and create it anew`,
    )
  }
}

/** Whether DynamoDB has built all of the indexes. */
export function areBuilt(table: TableDescription, wanted: readonly string[]): boolean {
  return wanted.every((name) => {
    const index = indexIn(table, name)
    return index !== undefined && (index.IndexStatus ?? 'ACTIVE') === 'ACTIVE' && index.Backfilling !== true
  })
}

function indexIn(
  { GlobalSecondaryIndexes = [] }: TableDescription,
  name: string,
): GlobalSecondaryIndexDescription | undefined {
  return GlobalSecondaryIndexes.find(({ IndexName }) => IndexName === name)
}
