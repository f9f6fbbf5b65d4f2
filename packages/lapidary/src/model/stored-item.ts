import type { Collection, Item } from './collection.ts'
import type { Entry } from './entry-bytes.ts'
import { type InputIssue, LapidaryError, shown, unprocessable } from './errors.ts'
import { expiryProblem } from './expiry.ts'
import type { Facet } from './facet.ts'
import { facetAttributes, heldValue, readHeld } from './facet-origin.ts'
import { itemProblem } from './facet-values.ts'
import { escapeComponent, keyProblem } from './key-text.ts'
import { orderAttributes } from './order.ts'
import { ownValue } from './own-value.ts'
import { isInOrder, positionOf } from './position.ts'
import { isReservedName, LOST_NAME, reservedReason } from './reserved-names.ts'

/**
 * Validates a whole item as a caller sends it by the collection's schema, and checks that it can be placed in every list.
 *
 * @throws {LapidaryError} `unprocessable`, each wrong attribute under `details.errors`.
 */
export function validItem<I>(collection: Collection<I>, input: unknown): Promise<I> {
  return placeable(collection, collection.schema, input)
}

/**
 * Validates a stored item by the declared output.
 *
 * @throws {LapidaryError} `unprocessable`.
 */
export function validStored<I>(collection: Collection<I>, stored: unknown): Promise<I> {
  return placeable(collection, collection.output ?? collection.schema, stored)
}

/**
 * Returns a stored item in the form that the declaration promises to readers.
 *
 * @throws {LapidaryError} `unprocessable` for an item that the declared output refuses.
 */
export async function outputItem<I>({ name, output }: Collection<I>, stored: Item): Promise<I> {
  return output === undefined ? (stored as I) : validated(output, stored, `a stored ${name} does not fit its output`)
}

async function placeable<I>(collection: Collection<I>, schema: Collection<I>['schema'], input: unknown): Promise<I> {
  const what = `the ${collection.name} was refused`
  // Checked before the schema, which may lose the name too.
  if (typeof input === 'object' && input !== null && Object.hasOwn(input, LOST_NAME))
    throw unprocessable(what, [
      { path: LOST_NAME, message: `is a name that ${reservedReason(LOST_NAME)}; choose another` },
    ])
  const item = await validated(schema, input, what)
  const errors = keyProblems(collection, item as Item)
  if (errors.length > 0) throw unprocessable(what, errors)
  return item
}

async function validated<I>(schema: Collection<I>['schema'], input: unknown, what: string): Promise<I> {
  const answer = schema['~standard'].validate(input)
  const result = answer instanceof Promise ? await answer : answer
  if (result.issues === undefined) return result.value
  throw unprocessable(
    what,
    result.issues.map(({ path = [], message }) => ({
      path: path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.'),
      message,
    })),
  )
}

function keyProblems(collection: Collection, item: Item): InputIssue[] {
  const errors: InputIssue[] = []
  for (const attribute of [collection.id, collection.scope.attribute]) {
    const problem = keyProblem(ownValue(item, attribute))
    if (problem !== undefined) errors.push({ path: attribute, message: `${problem}; it becomes a key` })
  }
  for (const [name, facet] of Object.entries(collection.facets)) {
    const problem = facetProblem(item, name, facet)
    if (problem !== undefined) errors.push(problem)
  }
  const expiry = collection.expires === undefined ? undefined : expiryProblem(ownValue(item, collection.expires))
  if (expiry !== undefined) errors.push({ path: String(collection.expires), message: expiry })
  for (const attribute of Object.keys(item)) {
    const problem = nameProblem(collection, attribute)
    if (problem !== undefined) errors.push({ path: attribute, message: problem })
  }
  if (errors.length > 0) return errors
  for (const order of Object.values(collection.orders)) {
    if (isInOrder(order, item)) positionOf({ ...collection, order }, item)
  }
  return errors
}

/** Says what is wrong with what an item holds of a facet, under the path where that is. */
function facetProblem(item: Item, name: string, facet: Facet): InputIssue | undefined {
  const { origin } = facet
  if (origin === undefined) return issueAt(name, itemProblem(facet, ownValue(item, name)))
  const isPath = 'path' in origin
  const source = isPath ? `the values of its path ${origin.path}` : 'what its function makes'
  if (Object.hasOwn(item, name))
    return issueAt(name, `is also the name of a facet of ${source}; give the facet or the attribute another name`)
  if (isPath) return issueAt(origin.path, itemProblem(facet, heldValue(item, name, facet)))
  try {
    const problem = itemProblem(facet, readHeld(item, name, facet))
    return issueAt(name, problem && `made by its function ${problem}`)
  } catch (error) {
    const thrown = error instanceof Error ? error.message : String(error)
    return issueAt(name, `can't be made of the item, its function throws: ${thrown}`)
  }
}

function issueAt(path: string, message: string | undefined): InputIssue | undefined {
  return message === undefined ? undefined : { path, message }
}

/** Says why no item of a collection can have an attribute of a name; undefined where one can. */
function nameProblem({ attributes }: Collection, attribute: string): string | undefined {
  if (attributes !== undefined) {
    return Object.hasOwn(attributes, attribute)
      ? undefined
      : 'is not declared under attributes, so no index would hold it'
  }
  if (!isReservedName(attribute)) return undefined
  return `is a name that ${reservedReason(attribute)}; declare a stored name for it under attributes`
}

/** @throws {LapidaryError} `declaration_invalid` for a collection whose every item would be refused because of a name. */
export function requireStorable(collection: Collection): void {
  const { name, id, scope, orders, facets, version, updatedAt, expires } = collection
  const kept = [version, updatedAt, expires].filter((attribute) => attribute !== undefined)
  const named = [id, scope.attribute, ...orderAttributes({ orders }), ...facetAttributes(facets), ...kept]
  for (const attribute of named) {
    const problem = nameProblem(collection, attribute)
    if (problem !== undefined)
      throw new LapidaryError('declaration_invalid', `${shown(attribute)} of ${name} ${problem}`)
  }
}

/**
 * Returns the key of an item in the table itself: every layout's primary entry has it, and further entries share its partition key.
 *
 * @example
 * ```ts run
 * const { PK, SK } = primaryKey(comments, '100001') // COMMENT#100001, ~
 * ```
 */
export function primaryKey(collection: Collection, id: string): { readonly PK: string; readonly SK: string } {
  return { PK: `${collection.name}#${escapeComponent(id)}`, SK: PRIMARY_SORT_KEY }
}

/** The sort key of the item itself; everything else kept beside it has another. */
export const PRIMARY_SORT_KEY = '~'

/** Tells whether a key is that of an item of the collection itself, and not of what is kept beside it. */
export function isItemKey(
  collection: Pick<Collection, 'name'>,
  { PK, SK }: { readonly PK: string; readonly SK: string },
): boolean {
  return SK === PRIMARY_SORT_KEY && PK.startsWith(`${collection.name}#`)
}

/** Returns the key of an entry as texts. */
export function plainKeyOf({ PK, SK }: Entry): { readonly PK: string; readonly SK: string } {
  return { PK: PK?.S ?? '', SK: SK?.S ?? '' }
}
