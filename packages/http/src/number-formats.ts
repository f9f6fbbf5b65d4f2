/** The keywords whose values are values, and no schemas. */
const VALUES: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'example', 'examples'])
const MOST_OF_32_BITS = 2_147_483_647

/**
 * Returns a description whose numbers say how wide they are. Generators for Go and Java take a number that says nothing for one of 32 bits, which
 * rounds 234567.8912; those of JavaScript have 64.
 */
export function withNumberFormats(described: unknown): unknown {
  if (Array.isArray(described)) return described.map(withNumberFormats)
  if (typeof described !== 'object' || described === null) return described
  const schema = Object.fromEntries(
    Object.entries(described).map(([key, value]) => [key, VALUES.has(key) ? value : withNumberFormats(value)]),
  )
  const format = formatOf(schema)
  return format === undefined ? schema : { ...schema, format }
}

function formatOf({ type, format, maximum }: Record<string, unknown>): string | undefined {
  if (format !== undefined) return undefined
  const types: readonly unknown[] = [type].flat()
  if (types.includes('number')) return 'double'
  return types.includes('integer') && !(Number(maximum) <= MOST_OF_32_BITS) ? 'int64' : undefined
}
