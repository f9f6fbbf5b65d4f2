import { OpenAPIHono } from '@hono/zod-openapi'
import type { Context, MiddlewareHandler } from 'hono'
import type { Logger } from 'pino'
import { createAuthorize, type Tokens } from './http/access.ts'
import { addCommentRoutes } from './http/comment-routes.ts'
import { withinDatabaseBudget } from './http/database-budget.ts'
import { addDocsRoutes } from './http/docs-routes.ts'
import { createFailureLimit } from './http/failure-limit.ts'
import { addHealthRoutes, type ReadinessChecks } from './http/health-routes.ts'
import { addListRoutes } from './http/list-routes.ts'
import { addMetricsRoute, type Metrics } from './http/metrics.ts'
import { HttpProblem, toProblem } from './http/problem.ts'
import { requestLog } from './http/request-log.ts'
import { type Bindings, requestTarget, requireDecodable, routedPath } from './http/request-target.ts'
import { type App, type AppEnv, createAddRoute } from './http/routing.ts'
import { securityHeaders } from './http/security-headers.ts'
import { addStatisticsRoutes } from './http/statistics-routes.ts'
import type { Services } from './services.ts'
import { asksForPage, problemPage } from './web/problem-answers.tsx'
import { webRoutes } from './web/routes.tsx'

/** What the application needs besides its services. */
export interface AppSettings {
  readonly tokens: Tokens
  readonly logger: Logger
  readonly metrics: Metrics
  readonly readiness: ReadinessChecks
  /** Milliseconds since 1970; `Date.now` when not given. */
  readonly clock?: () => number
}

const MOST_FAILURES = 100
const MINUTE_MS = 60_000

/** The HTTP API and the web pages as one application; `app.request()` asks it without a socket. */
export function createApp(services: Services, settings: AppSettings): App {
  const { tokens, logger, metrics, readiness, clock = Date.now } = settings
  const authorize = createAuthorize(tokens)
  const app: App = new OpenAPIHono<AppEnv>({ getPath: routedPath })

  app.use(requestLog(logger, metrics))
  app.use((_, next) => withinDatabaseBudget(next))
  app.use(securityHeaders())
  app.use(failureLimit(clock))
  app.use(async (context, next) => {
    requireDecodable(requestTarget(context.req.raw, context.env))
    await next()
  })

  const addRoute = createAddRoute(app, authorize)
  addListRoutes(addRoute, services)
  addCommentRoutes(addRoute, services)
  addStatisticsRoutes(addRoute, services)
  addHealthRoutes(addRoute, readiness)
  addMetricsRoute(addRoute, metrics)
  addDocsRoutes(app)
  app.route('/', webRoutes(services, { authorize, clock }))

  app.notFound((context) => answerUnrouted(app, context))
  app.onError(async (error, context) => {
    const problem = toProblem(error)
    const id = context.get('requestId')
    if (problem.status >= 500 && problem.code !== 'not_implemented') logger.error({ id, err: problem.cause ?? problem })
    const isPage = asksForPage(context.req.header('accept'))
    const response = isPage ? await problemPage(context, problem) : problem.toResponse(`urn:uuid:${id}`)
    response.headers.append('vary', 'Accept')
    return response
  })
  return app
}

/**
 * Tells an address that has sent too many wrong credentials to wait with more of them. Right ones are served, and so is what
 * needs none: other people behind the same address are not to suffer.
 */
function failureLimit(clock: () => number): MiddlewareHandler<AppEnv> {
  const limit = createFailureLimit(MOST_FAILURES, MINUTE_MS, clock)
  return async (context, next) => {
    await next()
    if (context.res.status !== 401 || !mayHoldCredentials(context)) return
    const address = addressOf(context.env)
    const wait = limit.waitSeconds(address)
    if (wait === 0) return limit.fail(address)
    context.res.headers.delete('www-authenticate')
    throw new HttpProblem('rate_limited', `too many wrong tokens from this address; try again in ${wait} s`, {
      headers: { 'retry-after': String(wait) },
    })
  }
}

/** A header, or a form of the web pages. */
function mayHoldCredentials({ req }: Context<AppEnv>): boolean {
  return req.header('authorization') !== undefined || (req.method === 'POST' && req.path.startsWith('/p/'))
}

function addressOf(env: Bindings | undefined): string {
  return env?.incoming?.socket.remoteAddress ?? 'unknown'
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** 405 where the path has other methods, else 404. */
function answerUnrouted(app: App, context: Context<AppEnv>): Response {
  const allowed = METHODS.filter((method) =>
    app.router.match(method, context.req.path)[0].some(([[, route]]) => route.method !== 'ALL'),
  ).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method))
  if (allowed.length === 0)
    throw new HttpProblem('not_found', 'there is nothing at this path; /docs shows what there is')
  const allow = [...allowed, 'OPTIONS'].join(', ')
  if (context.req.method === 'OPTIONS') return context.body(null, 204, { allow })
  throw new HttpProblem('method_not_allowed', `${context.req.method} is not allowed here; there are ${allow}`, {
    headers: { allow },
  })
}
