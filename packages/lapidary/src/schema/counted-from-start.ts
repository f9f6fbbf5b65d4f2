/**
 * The mark of a table whose counts know of every item: it was empty when its stream began, or they were rebuilt since. A
 * table without it may hold items that no counter knows of, so a count of 0 proves nothing there.
 */
export const COUNTED_FROM_START = { PK: { S: '~STATISTICS' }, SK: { S: '~' } } as const
