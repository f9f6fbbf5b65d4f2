import type { CopyInspection } from '../derived/copy-inspection.ts'
import type { CopyProjection } from '../derived/copy-projection.ts'
import { ownValue } from '../model/own-value.ts'
import { isItemKey, plainKeyOf } from '../model/stored-item.ts'
import type { CollectionContext } from '../operations/context.ts'
import { expectedKeys, keyChanges } from '../schema/expected-keys.ts'
import { readIndexRegister } from '../schema/index-register.ts'
import { seeing } from './compared-copy.ts'

/** The name under which differences of items' own index keys are told. They are no derived data: a backfill mends them. */
export const KEYS = 'keys'

/** The index keys of items, as a copy that the writes keep in the item itself: one look is exact at its moment. */
export function keysProjection(context: CollectionContext): CopyProjection {
  const { name } = context.collection
  return {
    name: KEYS,
    collection: name,
    isItem: (key) => isItemKey(context.collection, key),
    inspect: () => inspectKeys(context),
  }
}

async function inspectKeys(context: CollectionContext): Promise<CopyInspection> {
  const { collection, layout, table } = context
  const { indexes = {} } = (await readIndexRegister(table, collection)) ?? {}
  const declared = layout.indexes.map(({ name }) => name)
  const rules = Object.entries(indexes).flatMap(([name, { rule }]) =>
    rule === undefined || declared.includes(name) ? [] : [rule],
  )
  // What lacks the keys of an index that is filling is no difference yet.
  const complete = [...declared, ...rules.map(({ index }) => index)].filter(
    (name) => ownValue(indexes, name)?.state !== 'filling',
  )
  return seeing((entry, report) => {
    const target = plainKeyOf(entry)
    if (!isItemKey(collection, target)) return
    const { set, remove } = keyChanges(expectedKeys(context, entry, rules, complete), entry)
    for (const [name, expected] of [...Object.entries(set), ...remove.map((each) => [each, undefined] as const)]) {
      const actual = entry[name]?.S ?? null
      const kind = actual === null ? 'missing' : expected === undefined ? 'dangling' : 'wrong'
      const told = { kind, projection: KEYS, collection: collection.name, target, name } as const
      report([{ ...told, expected: expected?.S ?? null, actual }])
    }
  })
}
