import type { HonoRequest } from 'hono'
import { LapidaryError } from 'lapidary'
import { matchedVersions, namesTag, namesVersion, parseTagCondition } from './entity-tags.ts'
import { badRequest } from './problem.ts'

/**
 * Returns the version that `If-Match` and `If-None-Match` allow; undefined when any will do. Where they allow several, it is the current one.
 *
 * @param what What is changed, for the message: `comment`.
 * @param current Reads the current version.
 * @throws {LapidaryError} `version_conflict` when the current version is not allowed, and what `current` throws.
 */
export async function allowedVersion(
  req: HonoRequest,
  what: string,
  current: () => Promise<number>,
): Promise<number | undefined> {
  const match = parseTagCondition('If-Match', req.header('if-match'))
  const noneMatch = parseTagCondition('If-None-Match', req.header('if-none-match'))
  const versions = match === undefined || match === '*' ? undefined : matchedVersions(match)
  if (versions === undefined && noneMatch === undefined) return undefined
  const [only] = versions ?? []
  if (noneMatch === undefined && only !== undefined && versions?.length === 1) return only
  const version = await current()
  const refusedBy = namesVersion(noneMatch, version)
    ? 'If-None-Match names'
    : versions?.includes(version) === false
      ? 'If-Match does not name'
      : undefined
  if (refusedBy === undefined) return version
  throw new LapidaryError(
    'version_conflict',
    `the ${what} is at version ${version}, which ${refusedBy}; read it again and repeat the change`,
  )
}

/**
 * Tells whether `If-Match` and `If-None-Match` ask for anything of the item as it is.
 *
 * @throws {LapidaryError} `version_conflict` when the item's tag is not allowed.
 */
export function isConditional(req: HonoRequest, what: string, tag: string): boolean {
  const match = parseTagCondition('If-Match', req.header('if-match'))
  const noneMatch = parseTagCondition('If-None-Match', req.header('if-none-match'))
  const refusedBy = namesTag(noneMatch, tag)
    ? 'If-None-Match names'
    : match !== undefined && match !== '*' && !match.some(({ weak, value }) => !weak && `"${value}"` === tag)
      ? 'If-Match does not name'
      : undefined
  if (refusedBy === undefined) return (match !== undefined && match !== '*') || noneMatch !== undefined
  throw new LapidaryError(
    'version_conflict',
    `the ${what} has the ETag ${tag}, which ${refusedBy}; read it again and repeat the change`,
  )
}

/** @throws {HttpProblem} `bad_request` for a key that no header can have. */
export function checkedIdempotencyKey(key: string | undefined): string | undefined {
  if (key === undefined || /^[\x20-\x7e]{1,255}$/.test(key)) return key
  throw badRequest('the header was refused', [
    { path: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' },
  ])
}
