import type { Collection } from '../model/collection.ts'
import { LapidaryError } from '../model/errors.ts'

/**
 * Refuses a facet of which items have several values, in a layout that has one list for an item.
 *
 * @throws {LapidaryError} `declaration_invalid`.
 */
export function requireOneValue({ name, facets }: Collection, layout: string): void {
  const each = Object.entries(facets).find(([, { kind }]) => kind === 'eachOf')
  if (each === undefined) return
  throw new LapidaryError(
    'declaration_invalid',
    `${name}: an item has several values of the facet ${each[0]}, and ${layout} lists it by one of each facet; use the layout indexes()`,
  )
}
