import type { AnyCollection, CollectionClient } from 'lapidary'
import type { Access } from './access.ts'
import type { View } from './view.ts'

/** A collection that is served. */
export interface Served {
  /** Its name in code and in addresses: `orders`. */
  readonly name: string
  readonly collection: AnyCollection
  readonly client: CollectionClient<unknown>
  readonly viewOf: (access: Access) => View
  /** The most RCU that the list of one request may read. */
  readonly maxCapacity: number
  /** Returns the milliseconds by which the counts are behind, where that is too much to show them; else undefined. */
  readonly countsBehind: () => number | undefined
}

/** What one request asks of a served collection, once it is let in. */
export interface Admitted {
  readonly served: Served
  readonly access: Access
  readonly view: View
}
