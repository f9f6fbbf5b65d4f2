import { join } from 'node:path'
import { entriesOf, PACKAGES } from '../architecture/packages.ts'
import { ROOT } from '../architecture/sources.ts'

/** Returns each name that a workspace exports, with the source it is built from: tests run the files in `src`, not the last build. */
export function sourceAliases(): { readonly find: RegExp; readonly replacement: string }[] {
  const workspaces = [...PACKAGES.map((name) => `packages/${name}`), 'apps/comments']
  return workspaces.flatMap(entriesOf).map(([entry, source]) => {
    return { find: new RegExp(`^${entry}$`), replacement: join(ROOT, source) }
  })
}
