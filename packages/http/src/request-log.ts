import { randomUUID } from 'node:crypto'
import type { Context, MiddlewareHandler, Next } from 'hono'
import { matchedRoutes } from 'hono/route'
import { type Observer, observedBy } from 'lapidary'
import type { Logger } from './logger.ts'
import { type CapacityUse, withinRequest } from './request-scope.ts'
import type { AppEnv } from './routing.ts'

/** Gives each request an id, has it observed, and logs it in one line: never a query, a header or a body, which may hold tokens. */
export function requestLog(logger: Logger, observers: readonly Observer[]): MiddlewareHandler<AppEnv> {
  const observe = observedBy(observers)
  return (context, next) => {
    const { req } = context
    const id = context.env?.requestId ?? randomUUID()
    context.set('requestId', id)
    return observe(
      { kind: 'request', method: req.method, id, header: (name) => req.header(name) },
      () => answer(context, id, next),
      () => ({ route: routeOf(matchedRoutes(context)), status: context.res.status }),
    )
  }

  async function answer(context: Context<AppEnv>, id: string, next: Next): Promise<void> {
    const startedAt = performance.now()
    const use: CapacityUse = { readUnits: 0, writeUnits: 0, requests: 0 }
    await withinRequest(id, use, next)
    const ms = performance.now() - startedAt
    const { method, path } = context.req
    const { status, headers } = context.res
    headers.set('X-Request-Id', id)
    if (use.requests > 0) headers.set('Server-Timing', serverTiming(use, ms))
    logger.info({
      id,
      method,
      path,
      status,
      ms: Number(ms.toFixed(1)),
      ...(use.readUnits > 0 ? { rcu: use.readUnits } : {}),
      ...(use.writeUnits > 0 ? { wcu: use.writeUnits } : {}),
    })
  }
}

function serverTiming({ readUnits, writeUnits, requests }: CapacityUse, ms: number): string {
  const parts = [
    readUnits > 0 ? `${readUnits} RCU` : [],
    writeUnits > 0 ? `${writeUnits} WCU` : [],
    `${requests} ${requests === 1 ? 'request' : 'requests'}`,
  ].flat()
  return `dynamodb;desc="${parts.join(', ')}", total;dur=${ms.toFixed(1)}`
}

/** Returns the pattern of the route that answered, so that ids don't become label values. */
function routeOf(routes: readonly { readonly method: string; readonly path: string }[]): string {
  return routes.findLast(({ method }) => method !== 'ALL')?.path ?? 'none'
}
