import { ownValue } from '../model/own-value.ts'
import { isItemKey, plainKeyOf } from '../model/stored-item.ts'
import type { CollectionContext } from '../operations/context.ts'
import { expectedKeys, keyChanges } from '../schema/expected-keys.ts'
import { readRegister } from '../schema/index-register.ts'
import type { ComparedPages } from './compared-pages.ts'

/** The name under which differences of items' own index keys are told. They are no derived data: a backfill mends them. */
export const KEYS = 'keys'

/** Looks at the index keys of items: they are in the item, so one look is exact at its moment. */
export async function inspectKeys(contexts: readonly CollectionContext[]): Promise<ComparedPages> {
  const inspected = await Promise.all(
    contexts.map(async (context) => {
      const { indexes = {} } = (await readRegister(context.table, context.collection)) ?? {}
      const declared = context.layout.indexes.map(({ name }) => name)
      const rules = Object.entries(indexes).flatMap(([name, { rule }]) =>
        rule === undefined || declared.includes(name) ? [] : [rule],
      )
      // What lacks the keys of an index that is filling is no difference yet.
      const complete = [...declared, ...rules.map(({ index }) => index)].filter(
        (name) => ownValue(indexes, name)?.state !== 'filling',
      )
      return { context, rules, complete }
    }),
  )
  return {
    see(entry, report) {
      const target = plainKeyOf(entry)
      const found = inspected.find(({ context }) => isItemKey(context.collection, target))
      if (found === undefined) return
      const { context, rules, complete } = found
      const { set, remove } = keyChanges(expectedKeys(context, entry, rules, complete), entry)
      const { name: collection } = context.collection
      for (const [name, expected] of [...Object.entries(set), ...remove.map((each) => [each, undefined] as const)]) {
        const actual = entry[name]?.S ?? null
        const kind = actual === null ? 'missing' : expected === undefined ? 'dangling' : 'wrong'
        report([{ kind, projection: KEYS, collection, target, name, expected: expected?.S ?? null, actual }])
      }
    },
  }
}
