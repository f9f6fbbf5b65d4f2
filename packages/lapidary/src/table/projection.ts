/** Returns the part of a read's input that asks for some attributes only; empty for all. */
export function projection(names: readonly string[] | undefined): {
  readonly ProjectionExpression?: string
  readonly ExpressionAttributeNames?: Record<string, string>
} {
  if (names === undefined) return {}
  return {
    ProjectionExpression: names.map((_, i) => `#show${i}`).join(', '),
    ExpressionAttributeNames: Object.fromEntries(names.map((name, i) => [`#show${i}`, name])),
  }
}
