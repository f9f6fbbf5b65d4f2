import type { KeyRenaming } from '../table/key-names.ts'

/**
 * The pattern for `FilterCriteria`, one for each collection: only its items invoke the handler, and neither derived data
 * nor checkpoints, which the handler writes itself.
 */
export function streamFilterPatterns(
  collections: readonly { readonly name: string }[],
  renaming?: KeyRenaming,
): readonly string[] {
  return collections.map(({ name }) => {
    const pattern = { dynamodb: { Keys: { PK: { S: [{ prefix: `${name}#` }] }, SK: { S: ['~'] } } } }
    return JSON.stringify(renaming?.renamed(pattern) ?? pattern)
  })
}
