/** The key of an item of derived data. */
export interface TargetKey {
  readonly PK: string
  readonly SK: string
}

/** One text for a key; no key holds a NUL. */
export function targetId({ PK, SK }: TargetKey): string {
  return `${PK}\u0000${SK}`
}
