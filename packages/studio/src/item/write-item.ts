import { type ChangeOptions, LapidaryError, shown } from 'lapidary'
import type { OpenCollection } from '../studio-options.ts'
import { changesOf, typedItem } from './edit.ts'
import { type FoundItem, readItem } from './read-item.ts'

/**
 * Changes the attributes that a text changes, if the item is still what the form showed.
 *
 * @param seen The digest of what the form showed.
 * @returns The id of the item, and whether something was written.
 * @throws {LapidaryError} `version_conflict` where it is another by now, and what `patch` throws.
 */
export async function saveItem(of: OpenCollection, id: string, text: string, seen: string): Promise<boolean> {
  const found = await unchanged(of, id, seen)
  const { collection, client } = of
  if (found.item === undefined) throw new LapidaryError('table_mismatch', found.problem ?? `${shown(id)} can't be read`)
  const changes = changesOf(found.item, typedItem(text))
  if (Object.hasOwn(changes, collection.id))
    throw new LapidaryError('unprocessable', 'the id was changed', {
      details: {
        errors: [{ path: collection.id, message: 'never changes: create another item, and delete this one' }],
      },
    })
  if (Object.keys(changes).length === 0) return false
  await client.patch(id, changes as never, conditionOf(of, found))
  return true
}

/**
 * Deletes an item, if it is still what the page showed.
 *
 * @throws {LapidaryError} `version_conflict` where it is another by now, and what `delete` throws.
 */
export async function deleteItem(of: OpenCollection, id: string, seen: string): Promise<void> {
  const found = await unchanged(of, id, seen)
  await of.client.delete(id, conditionOf(of, found))
}

async function unchanged(of: OpenCollection, id: string, seen: string): Promise<FoundItem> {
  const found = await readItem(of, id)
  if (found.digest === seen) return found
  throw new LapidaryError(
    'version_conflict',
    `${of.collection.name} ${shown(id)} was changed by another writer since this page was opened; what it is now is shown here, so look at it and repeat the change`,
  )
}

/** The condition holds in the moment of the write what the digest told before: by the version, or else by each attribute. */
function conditionOf({ collection }: OpenCollection, { item }: FoundItem): ChangeOptions<never> {
  if (item === undefined) return {}
  const version = collection.version === undefined ? undefined : item[collection.version]
  const condition: ChangeOptions = typeof version === 'number' ? { ifVersion: version } : { if: item }
  return condition as ChangeOptions<never>
}
