/**
 * Writes a value as JSON for people: a bigint and a decimal as texts with all their digits, a set as a list, bytes as base64, as an export
 * does.
 */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, (_, part: unknown) => plainPart(part), indent) ?? 'null'
}

function plainPart(part: unknown): unknown {
  if (typeof part === 'bigint') return String(part)
  if (part instanceof Set) return [...part]
  // A Buffer writes itself as an object before it comes here.
  return part instanceof Uint8Array ? Buffer.from(part).toString('base64') : part
}

/** Tells what JSON lacks of a value and how the text has it; undefined where nothing is lacking. */
export function lackingIn(value: unknown): string | undefined {
  if (typeof value === 'bigint') return 'a number of more digits than JSON readers keep, so a text'
  if (value instanceof Set) return 'a set, so a list'
  return value instanceof Uint8Array ? 'bytes, in base64' : undefined
}
