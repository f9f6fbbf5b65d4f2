import { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { Logger } from 'pino'
import { createAuthorize, type Tokens } from './http/access.ts'
import { addCommentRoutes } from './http/comment-routes.ts'
import { withinDatabaseBudget } from './http/database-budget.ts'
import { addDocsRoutes } from './http/docs-routes.ts'
import { addHealthRoutes, type ReadinessChecks } from './http/health-routes.ts'
import { addListRoutes } from './http/list-routes.ts'
import { addMetricsRoute, type Metrics } from './http/metrics.ts'
import { HttpProblem, toProblem } from './http/problem.ts'
import { requestLog } from './http/request-log.ts'
import { requestTarget, requireDecodable, routedPath } from './http/request-target.ts'
import { type App, type AppEnv, createAddRoute } from './http/routing.ts'
import { securityHeaders } from './http/security-headers.ts'
import { addStatisticsRoutes } from './http/statistics-routes.ts'
import { createWorkLimit } from './http/work-limit.ts'
import type { Services } from './services.ts'
import { asksForPage, problemPage } from './web/problem-answers.tsx'
import type { ShowProduct } from './web/product-shown.tsx'
import { seenAt } from './web/reader.ts'
import { webRoutes } from './web/routes.tsx'

/** The settings of the application beside its services. */
export interface AppSettings {
  readonly tokens: Tokens
  readonly logger: Logger
  readonly metrics: Metrics
  readonly readiness: ReadinessChecks
  /** Returns the name and the picture of a product; the pages show ids when not given. */
  readonly showProduct?: ShowProduct
  /** The address of the pages as seen from outside; without it they contain no absolute address. */
  readonly publicUrl?: string | undefined
  /** Milliseconds since 1970; `Date.now` when not given. */
  readonly clock?: () => number
}

/** Makes the HTTP API and the web pages as one application; `app.request()` asks it without a socket. */
export function createApp(services: Services, settings: AppSettings): App {
  const { tokens, logger, metrics, readiness, showProduct, publicUrl, clock = Date.now } = settings
  const authorize = createAuthorize(tokens, clock)
  const limitWork = createWorkLimit()
  const app: App = new OpenAPIHono<AppEnv>({ getPath: routedPath })

  app.use(requestLog(logger, metrics))
  app.use((_, next) => withinDatabaseBudget(next))
  app.use(securityHeaders())
  if (publicUrl !== undefined) app.use(seenAt(publicUrl))
  app.use(async (context, next) => {
    requireDecodable(requestTarget(context.req.raw, context.env))
    await next()
  })

  const addRoute = createAddRoute(app, authorize, limitWork)
  addListRoutes(addRoute, services)
  addCommentRoutes(addRoute, services)
  addStatisticsRoutes(addRoute, services)
  addHealthRoutes(addRoute, readiness)
  addMetricsRoute(addRoute, metrics)
  addDocsRoutes(app)
  app.route('/', webRoutes(services, { authorize, limitWork, showProduct, clock }))

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

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Answers 405 where the path has other methods, else 404. */
function answerUnrouted(app: App, context: Context<AppEnv>): Response {
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
