/**
 * The pattern for `FilterCriteria`, one for each collection: only its items invoke the handler, and neither derived data
 * nor checkpoints, which the handler writes itself.
 */
export function streamFilterPatterns(collections: readonly { readonly name: string }[]): readonly string[] {
  return collections.map(({ name }) =>
    JSON.stringify({ dynamodb: { Keys: { PK: { S: [{ prefix: `${name}#` }] }, SK: { S: ['~'] } } } }),
  )
}
