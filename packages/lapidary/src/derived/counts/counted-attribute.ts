import type { Collection } from '../../model/collection.ts'
import { isDecimal, plainDecimal } from '../../model/decimal.ts'
import type { Entry } from '../../model/entry.ts'
import { shown } from '../../model/errors.ts'
import { toNativeValue } from '../../model/native-value.ts'
import { ownValue } from '../../model/own-value.ts'

/** An attribute of which counts are made beside the facets, as plain data: its name, and the one under which it is stored. */
export interface CountedAttribute {
  readonly attribute: string
  readonly stored: string
}

export function countedAttribute({ attributes }: Pick<Collection, 'attributes'>, attribute: string): CountedAttribute {
  return { attribute, stored: ownValue(attributes ?? {}, attribute)?.name ?? attribute }
}

/**
 * Returns the number that an image has, with all of its digits; undefined where the attribute is absent or null.
 *
 * @throws {TypeError} For any other value.
 */
export function summedNumber({ attribute, stored }: CountedAttribute, image: Entry): string | undefined {
  const value = ownValue(image, stored)
  if (value === undefined || value.NULL === true) return undefined
  if (value.N !== undefined) return plainDecimal(value.N)
  throw new TypeError(
    `${attribute} is ${shown(toNativeValue(value, 'decimal'))}, no number, so the item can't be counted`,
  )
}

/** Returns a sum that an item of counts holds; 0 for none, and for one that was spoilt. */
export function sumIn(entry: Entry, name: string): string {
  const text = ownValue(entry, name)?.S
  return text !== undefined && isDecimal(text) ? plainDecimal(text) : '0'
}
