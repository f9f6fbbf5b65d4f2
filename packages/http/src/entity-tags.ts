import { badRequest } from './problem.ts'

/** A parsed `If-Match` or `If-None-Match`: `*`, or the tags of a list. */
export type TagCondition = '*' | readonly EntityTag[]

interface EntityTag {
  readonly weak: boolean
  /** The tag without its quotes. */
  readonly value: string
}

/** One element of a list, with the commas before it; a quoted tag may hold commas itself. */
const ELEMENT = /[ \t,]*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*(?=,|$)/gy

/**
 * Returns the `ETag` of a version.
 *
 * @param beside What changes without the version, which a reader has to get anew and a writer need not know of: a count of it, or a digest.
 */
export function entityTag(version: number, beside: number | string = 0): string {
  return beside === 0 ? `"${version}"` : `"${version}.${beside}"`
}

/** @throws {HttpProblem} `bad_request` when the header is neither `*` nor a list of quoted tags (RFC 9110, 8.8.3 and 13.1). */
export function parseTagCondition(header: string, value: string | undefined): TagCondition | undefined {
  if (value === undefined) return undefined
  if (value.trim() === '*') return '*'
  const tags = [...value.matchAll(ELEMENT)]
  const rest = value.slice(tags.reduce((length, [element]) => length + element.length, 0))
  if (tags.length === 0 || /[^ \t,]/.test(rest)) {
    throw badRequest('the condition was refused', [
      { path: header, message: 'must be * or a list of quoted tags, as in the ETag header: "3"' },
    ])
  }
  return tags.map(([, weak, tag = '']) => ({ weak: weak !== undefined, value: tag }))
}

/** Returns the versions that `If-Match` allows; a weak tag matches none, since the comparison is strong. */
export function matchedVersions(condition: readonly EntityTag[]): readonly number[] {
  return condition.flatMap(({ weak, value }) => (weak ? [] : (versionIn(value) ?? [])))
}

/** Tells whether the `If-None-Match` of a write names a version, whatever its tags have beside it; the comparison is weak. */
export function namesVersion(condition: TagCondition | undefined, version: number): boolean {
  if (condition === undefined) return false
  return condition === '*' || condition.some(({ value }) => versionIn(value) === version)
}

/** Returns the version that a tag is of, whatever is beside it. */
function versionIn(value: string): number | undefined {
  const [, version] = /^([1-9]\d{0,14})(?:\.[\w-]+)?$/.exec(value) ?? []
  return version === undefined ? undefined : Number(version)
}

/** Tells whether `If-None-Match` names a tag, given as its header has it; the comparison is weak. */
export function namesTag(condition: TagCondition | undefined, tag: string): boolean {
  if (condition === undefined) return false
  return condition === '*' || condition.some(({ value }) => `"${value}"` === tag.replace(/^W\//, ''))
}
