import { madeKeys } from '../layouts/index-definition.ts'
import { keysByRule } from '../layouts/indexes/rule-keys.ts'
import { allRules, type KeyRule } from '../layouts/key-rule.ts'
import type { CollectionLayout } from '../layouts/layout.ts'
import type { Collection, Item } from '../model/collection.ts'
import type { Entry } from '../model/entry-bytes.ts'
import type { EntryReader } from '../model/entry-reader.ts'
import { LapidaryError } from '../model/errors.ts'
import { heldValue, keySourceName } from '../model/facet-origin.ts'
import { itemProblem } from '../model/facet-values.ts'
import { ownValue } from '../model/own-value.ts'
import { hasPosition } from '../model/position.ts'

/** The parts that the keys of an entry are made by. */
export interface Keyed {
  readonly collection: Collection
  readonly layout: CollectionLayout
  readonly codec: EntryReader
}

/** The index keys that an entry should have. */
export interface ExpectedKeys {
  /** The value of each key attribute; undefined for one that should be absent. */
  readonly keys: ReadonlyMap<string, string | undefined>
  /** Indexes that can't hold the item as it is, and what is wrong with it. They are not complete without the item. */
  readonly unfit: ReadonlyMap<string, string>
}

/**
 * Returns the index keys that a stored entry should have, by the declaration and by rules that only the table knows.
 *
 * @param indexes The indexes wanted; all when not given.
 */
export function expectedKeys(
  keyed: Keyed,
  entry: Entry,
  kept: readonly KeyRule[],
  indexes?: readonly string[],
): ExpectedKeys {
  const { collection, layout, codec } = keyed
  const item = codec.plainItem(entry)
  const problems = new Map<string, string>()
  for (const [name, facet] of Object.entries(collection.facets)) {
    const held = heldValue(item, name, facet)
    const isMissing = held === undefined && !facet.optional
    const problem = isMissing ? 'is missing' : itemProblem(facet, held)
    if (problem !== undefined) problems.set(keySourceName(name, facet, codec.storedName), `${name} ${problem}`)
  }
  for (const { attribute, optional } of Object.values(collection.orders)) {
    // The item may seem to lack the attribute: before the order was declared, the attribute was packed like any other.
    if (optional !== true || collection.codec === undefined || ownValue(item, attribute) !== undefined) continue
    if ((ownValue(codec.nearestItem(entry), attribute) ?? undefined) !== undefined)
      problems.set(codec.storedName(attribute), `${attribute} is packed; export the items and import them again`)
  }
  const wanted = (index: string): boolean => indexes === undefined || indexes.includes(index)
  const expected =
    layout.keyRules === undefined
      ? keysByLayout(keyed, entry, problems)
      : keysByRules(allRules(layout.keyRules, kept), entry, codec, problems)
  if (indexes === undefined) return expected
  const names = new Set([
    ...layout.indexes.flatMap((index) => (wanted(index.name) ? madeKeys(index) : [])),
    ...kept.flatMap(({ index, partitionKey, sortKey }) => (wanted(index) ? [partitionKey, sortKey] : [])),
  ])
  return {
    keys: new Map([...expected.keys].filter(([name]) => names.has(name))),
    unfit: new Map([...expected.unfit].filter(([index]) => wanted(index))),
  }
}

function keysByRules(
  rules: readonly KeyRule[],
  entry: Entry,
  codec: EntryReader,
  problems: ReadonlyMap<string, string>,
): ExpectedKeys {
  const keys = new Map<string, string | undefined>()
  const unfit = new Map<string, string>()
  for (const rule of rules) {
    const { index, partitionKey, sortKey, order, partition, sort } = rule
    const made = keysByRule(rule, entry, codec)
    // Indexes with the same facets share their keys: one may hold an item that the other does not.
    for (const name of [partitionKey, sortKey]) keys.set(name, (made && ownValue(made, name)) ?? keys.get(name))
    const isOutside = made !== undefined && Object.keys(made).length === 0
    if (isOutside && !problems.has(order.attribute)) continue
    const problem = [...partition, ...sort, order.attribute]
      .map((name) => problems.get(name))
      .find((text) => text !== undefined)
    if (problem !== undefined) unfit.set(index, problem)
    else if (made === undefined) unfit.set(index, 'its id, scope, order or a facet is missing or can be no key')
  }
  return { keys, unfit }
}

function keysByLayout({ layout, codec }: Keyed, entry: Entry, problems: ReadonlyMap<string, string>): ExpectedKeys {
  const [problem] = problems.values()
  const made = problem === undefined ? primaryOf(layout, codec, entry) : undefined
  const reason = problem ?? 'its id, scope or order can be no key'
  const names = layout.indexes.flatMap(madeKeys)
  if (made !== undefined) return { keys: keysOf(names, made), unfit: outOfOrder(layout, codec.plainItem(entry)) }
  return {
    keys: keysOf(names, {}),
    unfit: new Map(layout.indexes.map(({ name }) => [name, reason])),
  }
}

function keysOf(names: readonly string[], made: Entry): ExpectedKeys['keys'] {
  return new Map(names.map((name) => [name, ownValue(made, name)?.S]))
}

/** Returns the indexes whose order every item must have, and this one lacks. */
function outOfOrder({ indexes }: CollectionLayout, item: Item): ExpectedKeys['unfit'] {
  return new Map(
    indexes.flatMap(({ name, order }) =>
      order === undefined || order.optional === true || hasPosition(order, item)
        ? []
        : [[name, `${order.attribute} is missing or has no position in its order`]],
    ),
  )
}

function primaryOf(layout: CollectionLayout, codec: EntryReader, entry: Entry): Entry | undefined {
  try {
    return layout.entriesOf(codec.plainItem(entry), entry)[0]
  } catch (error) {
    if (error instanceof LapidaryError && error.code === 'unprocessable') return undefined
    throw error
  }
}

/** The writes that bring an entry's keys to the expected ones. */
export interface KeyChanges {
  readonly set: Entry
  readonly remove: readonly string[]
}

/** Returns the key attributes of an entry that differ from the expected ones. */
export function keyChanges({ keys }: ExpectedKeys, entry: Entry): KeyChanges {
  const differing = [...keys].filter(([name, key]) =>
    key === undefined ? Object.hasOwn(entry, name) : ownValue(entry, name)?.S !== key,
  )
  return {
    set: Object.fromEntries(differing.flatMap(([name, S]) => (S === undefined ? [] : [[name, { S }]]))),
    remove: differing.flatMap(([name, key]) => (key === undefined ? [name] : [])),
  }
}
