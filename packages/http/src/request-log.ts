import { randomUUID } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import { countingCapacity } from './capacity.ts'
import type { Logger } from './logger.ts'
import type { Metrics } from './metrics.ts'
import type { CapacityUse } from './request-scope.ts'
import type { AppEnv } from './routing.ts'

/** Gives each request an id, measures it, and logs it in one line: never a query, a header or a body, which may hold tokens. */
export function requestLog(logger: Logger, metrics: Metrics): MiddlewareHandler<AppEnv> {
  return async (context, next) => {
    const startedAt = performance.now()
    const id = randomUUID()
    const use: CapacityUse = { readUnits: 0, writeUnits: 0, requests: 0 }
    context.set('requestId', id)
    await countingCapacity(use, next)
    const ms = performance.now() - startedAt
    const { method, path } = context.req
    const { status, headers } = context.res
    headers.set('X-Request-Id', id)
    if (use.requests > 0) headers.set('Server-Timing', serverTiming(use, ms))
    metrics.observeRequest(routeOf(matchedRoutes(context)), method, status, ms)
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
