import { types } from 'node:util'
import { shown } from './errors.ts'
import { invalidDeclaration } from './invalid-declaration.ts'
import { ownValue } from './own-value.ts'
import { isPlainObject } from './plain-object.ts'
import { LOST_NAME, reservedReason } from './reserved-names.ts'

/** The place of a facet's value inside an attribute that is a map: `address.city`. */
export interface FacetPath<P extends string = string> {
  readonly path: P
}

/** A facet's value that a function makes of the item. */
export interface ComputedValue<Of extends (item: never) => unknown = (item: never) => unknown> {
  readonly of: Of
  /** Another number for another function: values of one are no values of the other. */
  readonly version: number
}

/** Where a facet's values come from; undefined for the attribute of the facet's name. */
export type Origin = FacetPath | ComputedValue | undefined

/** The part of a facet that says where its values come from. */
interface Originated {
  readonly origin: Origin
}

type Item = Readonly<Record<string, unknown>>

/** The options that say where a facet's values come from. */
export interface OriginOptions {
  /** The path of the value in the item, with a dot before each name in a map: `address.city`. */
  readonly path?: string
  /**
   * Makes the value of the item as lists show it: one value, an array for `eachOf`, or null. It depends on nothing else, so that each process that
   * writes or reads the item makes the same.
   */
  readonly of?: (item: never) => unknown
  /** A whole number from 1, to be raised when `of` makes other values; 1 when not given. */
  readonly version?: number
}

/** The most names in a path. */
export const MOST_PARTS = 5

/** @throws {LapidaryError} `declaration_invalid`. */
export function originOf(kind: string, { path, of, version }: OriginOptions): Origin {
  if (of === undefined && version !== undefined)
    invalidDeclaration(`${kind} says version ${shown(version)} and no function of; leave version out, or say of`)
  if (of !== undefined) {
    if (path !== undefined)
      invalidDeclaration(`${kind} has the path ${shown(path)} and a function of; a value comes from one of them`)
    return computedValue(kind, of, version)
  }
  return path === undefined ? undefined : Object.freeze({ path: checkedPath(kind, path) })
}

function computedValue(kind: string, of: (item: never) => unknown, version = 1): ComputedValue {
  if (typeof of !== 'function') invalidDeclaration(`${kind} has the of ${shown(of)}; give a function of the item`)
  if (!Number.isSafeInteger(version) || version < 1)
    invalidDeclaration(`${kind} has the version ${shown(version)}; give a whole number from 1`)
  return Object.freeze({ of, version })
}

function checkedPath(kind: string, path: string): string {
  if (typeof path !== 'string') invalidDeclaration(`${kind} has the path ${shown(path)}; give a text: address.city`)
  const parts = path.split('.')
  if (parts.length > MOST_PARTS)
    invalidDeclaration(
      `${kind} has the path ${shown(path)} of ${parts.length} names; at most ${MOST_PARTS} are followed`,
    )
  if (parts.includes(''))
    invalidDeclaration(
      `${kind} has the path ${shown(path)} with an empty name; dots part the names of a path, and a name with a dot in it can't be reached`,
    )
  // Names that the table uses itself are found where it is known which attributes have stored names.
  if (parts.includes(LOST_NAME))
    invalidDeclaration(`${kind} has the path ${shown(path)} with ${LOST_NAME}, which ${reservedReason(LOST_NAME)}`)
  return path
}

/** Returns the attribute in which a facet's values are; undefined where a function makes them. */
export function attributeOfFacet(name: string, facet: Originated | undefined): string | undefined {
  const origin = facet?.origin
  if (origin === undefined) return name
  return 'path' in origin ? firstOf(origin) : undefined
}

function firstOf({ path }: FacetPath): string {
  return path.split('.', 1)[0] as string
}

/** Returns the attributes in which values of facets are, each once. */
export function facetAttributes(facets: Readonly<Record<string, Originated>>): readonly string[] {
  return [...new Set(Object.entries(facets).flatMap(([name, facet]) => attributeOfFacet(name, facet) ?? []))]
}

/** Returns the names of a path behind its attribute. */
export function innerParts(origin: Origin): readonly string[] {
  return origin !== undefined && 'path' in origin ? origin.path.split('.').slice(1) : []
}

/** Tells whether a function makes a facet's values. */
export function isComputed(facet: Originated | undefined): boolean {
  return facet?.origin !== undefined && 'of' in facet.origin
}

/**
 * Returns what an item holds of a facet, as it is: it may be no value of the facet.
 *
 * @throws What the function of a computed facet throws.
 */
export function readHeld(item: Item, name: string, facet: Originated | undefined): unknown {
  const origin = facet?.origin
  if (origin === undefined) return ownValue(item, name)
  if ('path' in origin) return valueAt(item, origin.path.split('.'))
  return (origin.of as (item: Item) => unknown)(item)
}

/** Returns the same; nothing of an item of which the function can't make a value, as of one that lacks an attribute. */
export function heldValue(item: Item, name: string, facet: Originated | undefined): unknown {
  if (!isComputed(facet)) return readHeld(item, name, facet)
  try {
    return readHeld(item, name, facet)
  } catch {
    // A write refuses such an item and says why. One that is stored is still shown by lists that do not ask for the facet.
    return undefined
  }
}

/** Returns the value at a path. Lists, sets and bytes are not followed, since DynamoDB names no member of theirs. */
export function valueAt(value: unknown, parts: readonly string[]): unknown {
  let found = value
  for (const part of parts) {
    if (types.isMap(found)) found = found.get(part)
    else if (typeof found === 'object' && found !== null && isPlainObject(found)) found = ownValue(found as Item, part)
    else return undefined
  }
  return found
}

/** Returns an item with its values of all facets under the facets' names; the item itself where these are its attributes. */
export function withHeldValues(facets: Readonly<Record<string, Originated>>, item: Item): Item {
  const elsewhere = Object.entries(facets).filter(([, { origin }]) => origin !== undefined)
  if (elsewhere.length === 0) return item
  return { ...item, ...Object.fromEntries(elsewhere.map(([name, facet]) => [name, heldValue(item, name, facet)])) }
}

/**
 * Returns the name by which keys know what a facet's values are made from: the stored name of its attribute, the path (`address>city`), or the
 * function with its version (`month:1`). With another path or version it is another name, so values of both are never in one list.
 */
export function keySourceName(
  name: string,
  facet: Originated | undefined,
  stored: (attribute: string) => string,
): string {
  const origin = facet?.origin
  if (origin === undefined) return stored(name)
  return 'of' in origin ? `${name}:${origin.version}` : [stored(firstOf(origin)), ...innerParts(origin)].join('>')
}
