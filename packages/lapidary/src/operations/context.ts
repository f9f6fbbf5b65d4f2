import type { EntryCodec } from '../model/entry.ts'
import type { ReadContext } from '../read/context.ts'
import { layoutKeeping } from '../schema/index-states.ts'
import type { WriteContext } from '../writes/item-writes.ts'
import type { WriteHooks } from './write-hooks.ts'

/** Everything that an operation on one collection needs; made once by `createLapidary`. */
export interface CollectionContext<I = unknown> extends ReadContext<I> {
  readonly codec: EntryCodec
  readonly hooks: WriteHooks | undefined
  /** Makes all that is derived of the table, from one scan; absent where nothing is. */
  readonly makeDerived?: (options: { readonly signal?: AbortSignal }) => Promise<void>
}

/** A client of a collection, of which only the context is needed. */
export interface WithContext<I = unknown> {
  readonly context: CollectionContext<I>
}

/** Of a context what the write path needs, with what the table knows beyond the declaration. */
export async function writeContext({
  collection,
  layout,
  codec,
  table,
  states,
}: Pick<CollectionContext, 'collection' | 'layout' | 'codec' | 'table' | 'states'>): Promise<WriteContext> {
  const kept = await states.kept()
  return { collection, layout: layoutKeeping(layout, kept), codec, tableName: table.tableName, kept }
}
