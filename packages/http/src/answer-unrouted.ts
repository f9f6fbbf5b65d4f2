import type { Context } from 'hono'
import { HttpProblem } from './problem.ts'
import type { App, AppEnv } from './routing.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Answers a request that no route has answered: `OPTIONS` of a path, 405 where the path has other methods, else 404. */
export function answerUnrouted(app: App, context: Context<AppEnv>): Response {
  const allowed = METHODS.filter((method) =>
    app.router.match(method, context.req.path)[0].some(([[, route]]) => route.method !== 'ALL'),
  ).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method))
  // A route that found nothing itself has the method, but not the resource.
  if (allowed.length === 0 || allowed.includes(context.req.method))
    throw new HttpProblem('not_found', 'there is nothing at this path; /docs shows what there is')
  const allow = [...allowed, 'OPTIONS'].join(', ')
  if (context.req.method === 'OPTIONS') return context.body(null, 204, { allow })
  throw new HttpProblem('method_not_allowed', `${context.req.method} is not allowed here; there are ${allow}`, {
    headers: { allow },
  })
}
