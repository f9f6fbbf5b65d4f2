/** One link of a `Link` header (RFC 8288): a relation and where it leads. */
export type Links = Readonly<Record<string, string | undefined>>

/**
 * A value as one segment of a path. `.` and `..` are encoded too, for clients that send a path as it is; what parses it as
 * WHATWG URLs are, browsers first, resolves even `%2E%2E`, and nothing that can be written in a path prevents that.
 *
 * @example
 * ```ts
 * pathSegment('a/b') // 'a%2Fb'
 * ```
 */
export function pathSegment(value: string): string {
  return /^\.\.?$/.test(value) ? value.replaceAll('.', '%2E') : encodeURIComponent(value)
}

/** A `Link` header of the relations that lead somewhere. */
export function linkHeader(links: Links): string {
  return Object.entries(links)
    .flatMap(([relation, target]) => (target === undefined ? [] : [`<${target}>; rel="${relation}"`]))
    .join(', ')
}
