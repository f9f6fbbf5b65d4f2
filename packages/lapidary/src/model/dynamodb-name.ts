/** Tells whether DynamoDB takes a name for a table or an index. */
export function isDynamoDbName(name: string): boolean {
  return name.length >= 3 && name.length <= 255 && /^[A-Za-z0-9_.-]+$/.test(name)
}
