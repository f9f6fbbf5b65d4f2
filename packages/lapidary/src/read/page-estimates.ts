import type { CursorPoint } from '../cursor/cursor.ts'
import { isTextIndex } from '../layouts/index-definition.ts'
import type { CollectionLayout, List } from '../layouts/layout.ts'
import { byteLength } from '../model/key-text.ts'
import { type Query, scopesOf } from '../model/query.ts'
import { type Estimates, estimatesOf } from '../planner/estimates.ts'
import { createExperience, type Experience } from '../planner/experience.ts'
import type { SizeClass } from '../planner/size-classes.ts'
import type { ReadContext } from './context.ts'

interface Learned {
  readonly experience: Experience
  /** Estimates with the sizes of a revision, by what they were made of. */
  readonly sized: WeakMap<Estimates, { readonly revision: number; readonly estimates: Estimates }>
}

/** The part of what reading needs by which a process knows what it has learned. */
export type LearningContext = Pick<ReadContext, 'collection' | 'layout'>

/** Holds what this process has learned of a collection, as long as its layout lives. */
const learned = new WeakMap<CollectionLayout, Learned>()

function learnedOf({ layout, collection }: LearningContext): Learned {
  const known = learned.get(layout) ?? { experience: createExperience(collection.itemBytes), sized: new WeakMap() }
  learned.set(layout, known)
  return known
}

export function experienceOf(context: LearningContext): Experience {
  return learnedOf(context).experience
}

/** Names the place where a page of a query begins, whatever its size and plan. */
export function placeOf(
  { scope, alsoIn, where, also, by, order }: Query,
  point: Pick<CursorPoint, 'direction' | 'bound'> | undefined,
): string {
  return JSON.stringify([scope, alsoIn, where, also, by, order, point?.direction ?? 'forward', point?.bound ?? null])
}

/**
 * Gives the estimates that a page is planned on: counts or the declaration, with the sizes that this process has read. As long as those make no
 * difference, it is the same object, and queries weighed on it are remembered.
 */
export function pageEstimates(context: LearningContext, known: Estimates): Estimates {
  const { experience, sized } = learnedOf(context)
  const { revision } = experience.sizes
  const last = sized.get(known)
  if (last?.revision === revision) return last.estimates
  const estimates = withSizes(context.layout, known, experience)
  sized.set(known, { revision, estimates })
  return estimates
}

function withSizes(layout: CollectionLayout, known: Estimates, { sizes }: Experience): Estimates {
  return {
    ...known,
    size(list) {
      const counted = estimatesOf(list, known).bytes(list.holds)
      return sizes.size(list, counted === undefined ? undefined : counted + keyBytes(layout, list))
    },
  }
}

/** How heavy the entries of a list are, by the counts that this process has last read of its scope; undefined without. */
export function sizeClassesOf(
  { layout, statistics }: ReadContext,
  query: Query,
  list: List,
): readonly SizeClass[] | undefined {
  const keys = keyBytes(layout, list)
  const scope = list.scope ?? scopesOf(query)[0]
  if (scope === undefined) return undefined
  const classes = statistics?.known(scope)?.sizeClasses(list.holds)
  return classes?.map(({ entries, bytes }) => ({ entries, bytes: bytes + keys }))
}

/**
 * Bytes of the keys that only this list's index has: their names, the partition, and what stands before the position in the sort
 * key. Where an index projects everything, its entries hold the keys of all indexes, and those are counted with the item.
 */
export function keyBytes({ indexes }: CollectionLayout, { index, partition, prefix }: List): number {
  const definition = indexes.find(({ name }) => name === index)
  if (definition?.include === undefined || !isTextIndex(definition)) return 0
  const { partitionKey, sortKey } = definition
  return [partitionKey, sortKey, partition, prefix].reduce((sum, text) => sum + byteLength(text), 0)
}
