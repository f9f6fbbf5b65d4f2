import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Item } from '../../model/collection.ts'
import type { Entry } from '../../model/entry.ts'
import type { EntryReader } from '../../model/entry-reader.ts'
import { LapidaryError } from '../../model/errors.ts'
import type { FacetValue } from '../../model/facet.ts'
import { ownValue } from '../../model/own-value.ts'
import { hasPosition, isInOrder } from '../../model/position.ts'
import { facetText } from '../../model/query.ts'
import { furtherSortKey } from '../further-entries.ts'
import type { KeyRule } from '../key-rule.ts'
import { type EntryValues, entryValuesOf } from './entry-values.ts'
import { indexKeys, keysAt } from './index-keys.ts'

/** Reads the value of a computed facet of an entry. */
export type Computing = Pick<EntryReader, 'heldValue'>

/**
 * Returns the keys that a rule gives an entry: empty outside of a sparse index's condition; undefined where the entry lacks an attribute that
 * they are made from.
 */
export function keysByRule(
  rule: KeyRule,
  entry: Entry,
  computing: Computing,
): Readonly<Record<string, string>> | undefined {
  const item = itemByRule(rule, entry, computing)
  const isOutside = !isInOrder(rule.order, item) || entryValuesOf(rule, item).length === 0
  return isOutside ? {} : unlessUnfit(rule, item, () => indexKeys(keyedBy(rule), [rule], item))
}

/** Returns the index keys of an item's further entries, by sort key: one entry for each of its values in an index beyond the first. */
export function furtherKeys(
  rules: readonly KeyRule[],
  entry: Entry,
  computing: Computing,
): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const further = new Map<string, Record<string, string>>()
  for (const rule of rules) {
    if (rule.each === undefined) continue
    const item = itemByRule(rule, entry, computing)
    if (!hasPosition(rule.order, item)) continue
    for (const values of entryValuesOf(rule, item).slice(1)) {
      const sortKey = furtherSortKey(valueTexts(values))
      const keys = unlessUnfit(rule, item, () => keysAt(keyedBy(rule), rule, item, values)) ?? {}
      further.set(sortKey, { ...further.get(sortKey), ...keys })
    }
  }
  return further
}

function valueTexts(values: EntryValues): readonly (readonly [facet: string, value: string])[] {
  return Object.entries(values).map(([facet, value]) => [facet, facetText(value)])
}

/** Reads what keys are made from: attributes by their stored names, and facets by the rule's names for them. */
function itemByRule(rule: KeyRule, entry: Entry, computing: Computing): Item {
  const { id, scope, order, partition, sort, only, each = {}, paths = {}, computed = {} } = rule
  const names = [id, scope, order.attribute, ...partition, ...sort, ...Object.keys(only)]
  const keyValue = (name: string): unknown => {
    const facet = ownValue(computed, name)?.facet
    if (facet !== undefined) return computing.heldValue(entry, facet)
    const value = storedAt(entry, ownValue(paths, name) ?? [name])
    // The text keeps all its digits.
    if (order.type === 'decimal' && name === order.attribute) return value?.N
    return Object.hasOwn(each, name) ? ruleValues(value) : scalarOf(value)
  }
  return Object.fromEntries(names.map((name) => [name, keyValue(name)]))
}

/** Returns the stored value at a path. */
function storedAt(entry: Entry, [name = '', ...inner]: readonly string[]): AttributeValue | undefined {
  return inner.reduce<AttributeValue | undefined>(
    (value, part) => (value?.M === undefined ? undefined : ownValue(value.M, part)),
    ownValue(entry, name),
  )
}

function keyedBy({ collection: name, id, scope, idOrder }: KeyRule): Parameters<typeof keysAt>[0] {
  return { name, id, scope: { name, attribute: scope }, ...(idOrder && { idOrder }) }
}

/** Makes something from an item; undefined where the item lacks an attribute for it, or has one that can be no key. */
function unlessUnfit<T>(rule: KeyRule, item: Item, make: () => T): T | undefined {
  const needed = [rule.id, rule.scope, rule.order.attribute, ...rule.partition, ...rule.sort]
  const isThere = (name: string): boolean =>
    (item[name] ?? undefined) !== undefined || rule.optional?.includes(name) === true
  if (!needed.every(isThere)) return undefined
  try {
    return make()
  } catch (error) {
    if (error instanceof LapidaryError && error.code === 'unprocessable') return undefined
    throw error
  }
}

function ruleValues(value: AttributeValue | undefined): FacetValue | readonly (FacetValue | undefined)[] | undefined {
  return value?.L === undefined ? scalarOf(value) : value.L.map(scalarOf)
}

function scalarOf(value: AttributeValue | undefined): FacetValue | undefined {
  if (value?.N !== undefined) return Number(value.N)
  return value?.S ?? value?.BOOL
}
