import { HttpProblem } from 'lapidary-http/internal'

/** Returns the answer to a request for which the shop can't say what it is asked: it may be sent again soon. */
export function shopUnavailable(detail: string, cause: unknown): HttpProblem {
  return new HttpProblem('unavailable', detail, { headers: { 'retry-after': '5' }, cause })
}
