/** The links of a `Link` header (RFC 8288): each relation with its target. */
export type Links = Readonly<Record<string, string | undefined>>

/**
 * Encodes a value as one segment of a path. `.` and `..` are encoded too, for clients that send a path as it is. Browsers, which parse it as a
 * WHATWG URL, resolve even `%2E%2E`, and no way of writing a path prevents that.
 *
 * @example
 * ```ts
 * pathSegment('a/b') // 'a%2Fb'
 * ```
 */
export function pathSegment(value: string): string {
  return /^\.\.?$/.test(value) ? value.replaceAll('.', '%2E') : encodeURIComponent(value)
}

/** Writes a `Link` header with the relations that have a target. */
export function linkHeader(links: Links): string {
  return Object.entries(links)
    .flatMap(([relation, target]) => (target === undefined ? [] : [`<${target}>; rel="${relation}"`]))
    .join(', ')
}
