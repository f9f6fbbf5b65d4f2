import type { Collection } from './collection.ts'
import { orderAttributes } from './order.ts'

/** Returns the attributes from which an item's keys are made. */
export function keySources({
  id,
  scope,
  orders,
  facets,
}: Pick<Collection, 'id' | 'scope' | 'orders' | 'facets'>): readonly string[] {
  return [id, scope.attribute, ...orderAttributes({ orders }), ...Object.keys(facets)]
}
