import { hash } from 'node:crypto'
import type { Context } from 'hono'
import { namesTag, parseTagCondition } from './entity-tags.ts'

/**
 * Answers JSON with a weak `ETag`, or 304 where the client has the same already. Caches keep it, and ask each time.
 *
 * @param body The members that the tag stands for.
 * @param aside Members that change by themselves, outside of the tag: the time up to which changes are counted, and the capacity.
 * @param cacheControl How it may be kept.
 */
export function answerTagged(
  context: Context,
  body: Readonly<Record<string, unknown>>,
  aside: Readonly<Record<string, unknown>> = {},
  cacheControl = 'no-cache',
): Response {
  const text = JSON.stringify(body)
  const tag = `W/"${hash('sha1', text, 'base64url')}"`
  context.header('ETag', tag)
  context.header('Cache-Control', cacheControl)
  if (namesTag(parseTagCondition('If-None-Match', context.req.header('if-none-match')), tag)) {
    return context.body(null, 304)
  }
  const rest = JSON.stringify(aside)
  const whole = rest === '{}' ? text : `${text.slice(0, -1)},${rest.slice(1)}`
  return context.body(whole, 200, { 'content-type': 'application/json' })
}
