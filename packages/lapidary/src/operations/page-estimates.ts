import type { CursorPoint } from '../cursor/cursor.ts'
import type { CollectionLayout, List } from '../layouts/layout.ts'
import { byteLength } from '../model/key-text.ts'
import type { Query } from '../model/query.ts'
import type { EntrySize } from '../planner/entry-size.ts'
import type { Estimates } from '../planner/estimates.ts'
import { createExperience, type Experience } from '../planner/experience.ts'
import type { CollectionContext } from './context.ts'

/** What this process has learned of a collection; with the layout it is forgotten. */
const experiences = new WeakMap<CollectionLayout, Experience>()

export function experienceOf({ layout, collection }: Pick<CollectionContext, 'layout' | 'collection'>): Experience {
  const experience = experiences.get(layout) ?? createExperience(collection.itemBytes)
  experiences.set(layout, experience)
  return experience
}

/** Where a page of a query begins, whatever its size and plan. */
export function placeOf(
  { scope, where, order }: Query,
  point: Pick<CursorPoint, 'direction' | 'bound'> | undefined,
): string {
  return JSON.stringify([scope, where, order, point?.direction ?? 'forward', point?.bound ?? null])
}

/**
 * What a page is planned on: counts or the declaration, corrected by what this process has read. As long as that makes no
 * difference, the estimates are the same object, and plans made on them are remembered.
 */
export function pageEstimates(context: CollectionContext, known: Estimates, place: string): Estimates {
  const experience = experienceOf(context)
  const recent = experience.recentAt(place)
  const { revision } = experience.sizes
  const last = corrected.get(known)
  const sized = last?.revision === revision ? last.estimates : withSizes(context.layout, known, experience)
  corrected.set(known, { revision, estimates: sized })
  return recent === undefined ? sized : { ...sized, recent }
}

const corrected = new WeakMap<Estimates, { readonly revision: number; readonly estimates: Estimates }>()

function withSizes(layout: CollectionLayout, known: Estimates, { sizes }: Experience): Estimates {
  const made = new Map<List, EntrySize>()
  const size = (list: List): EntrySize => {
    const counted = known.bytes(list.holds)
    return sizes.size(list, counted === undefined ? undefined : counted + keyBytes(layout, list))
  }
  return {
    ...known,
    size(list) {
      const once = made.get(list) ?? size(list)
      made.set(list, once)
      return once
    },
  }
}

/**
 * Bytes of the keys that only this list's index has: their names, the partition, and what stands before the position in the sort
 * key. Where an index projects everything, its entries hold the keys of all indexes, and those are counted with the item.
 */
export function keyBytes({ indexes }: CollectionLayout, { index, partition, prefix }: List): number {
  const definition = indexes.find(({ name }) => name === index)
  if (definition?.include === undefined) return 0
  const { partitionKey, sortKey } = definition
  return [partitionKey, sortKey, partition, prefix].reduce((sum, text) => sum + byteLength(text), 0)
}
