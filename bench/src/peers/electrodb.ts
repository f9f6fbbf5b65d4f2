/** A clause that one of some holds; nothing to hold where there is none. */
export function anyClause(clauses: readonly string[]): string {
  return clauses.length === 0 ? '' : `(${clauses.join(' OR ')})`
}
