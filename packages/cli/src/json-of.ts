/**
 * Writes a value as JSON, and values that JSON lacks as an export does: a set as a list, bytes as base64. A bigint is a text, since most
 * programs round it when they read it as a JSON number.
 */
export function jsonOf(value: unknown, indent?: number): string {
  return JSON.stringify(value, (_, part: unknown) => plainJson(part), indent)
}

function plainJson(part: unknown): unknown {
  if (typeof part === 'bigint') return String(part)
  if (part instanceof Set) return [...part]
  return part instanceof Uint8Array ? Buffer.from(part).toString('base64') : part
}
