import type { NodeStore } from './node-store.ts'
import { Torn } from './torn.ts'

/**
 * Edits nodes as they are remembered. What they tell that no commit would check, or that does not fit together, is read anew.
 *
 * @param isTrusted Tells whether the commit of an edit is refused where a node was not as it was remembered.
 */
export async function editRemembered<E>(
  { store, remembering }: { readonly store: NodeStore; readonly remembering: NodeStore },
  edit: (from: NodeStore) => Promise<E>,
  isTrusted: (edit: E) => boolean,
): Promise<E> {
  if (remembering === store) return edit(store)
  try {
    const made = await edit(remembering)
    if (isTrusted(made)) return made
  } catch (error) {
    if (!(error instanceof Torn)) throw error
  }
  return edit(store)
}
