import { badRequest } from './problem.ts'

/** A parsed `If-Match` or `If-None-Match`: `*`, or the tags of a list. */
export type TagCondition = '*' | readonly EntityTag[]

interface EntityTag {
  readonly weak: boolean
  /** Without its quotes. */
  readonly value: string
}

const TAG = /^(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"$/

/** The `ETag` of a version. */
export function entityTag(version: number): string {
  return `"${version}"`
}

/** @throws {HttpProblem} `bad_request` when the header is neither `*` nor a list of quoted tags (RFC 9110, 13.1). */
export function parseTagCondition(header: string, value: string | undefined): TagCondition | undefined {
  if (value === undefined) return undefined
  if (value.trim() === '*') return '*'
  return value.split(',').map((part) => {
    const match = TAG.exec(part.trim())
    if (match === null) {
      throw badRequest('the condition was refused', [
        { path: header, message: 'must be * or a list of quoted tags, as in the ETag header: "3"' },
      ])
    }
    return { weak: match[1] !== undefined, value: match[2] ?? '' }
  })
}

/** The versions that `If-Match` allows; a weak tag matches none, since the comparison is strong. */
export function matchedVersions(condition: readonly EntityTag[]): readonly number[] {
  return condition.flatMap(({ weak, value }) => (!weak && /^[1-9]\d{0,14}$/.test(value) ? [Number(value)] : []))
}

/** Whether `If-None-Match` names the version; the comparison is weak. */
export function namesVersion(condition: TagCondition, version: number): boolean {
  return condition === '*' || condition.some(({ value }) => value === String(version))
}
