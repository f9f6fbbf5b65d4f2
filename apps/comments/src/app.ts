import { Hono } from 'hono'
import type { Observer } from 'lapidary'
import {
  type App,
  type AppEnv,
  addHealthRoutes,
  addMetricsRoute,
  answerUnrouted,
  createAddRoute,
  createWorkLimit,
  type Logger,
  type Metrics,
  type ReadinessChecks,
  type RouteDeclaration,
  requestLog,
  requestTarget,
  requireDecodable,
  rolesByToken,
  routedPath,
  securityHeaders,
  type Tokens,
  toProblem,
  withinDatabaseBudget,
} from 'lapidary-http/internal'
import { addCommentRoutes } from './http/comment-routes.ts'
import { addDocsRoutes } from './http/docs-routes.ts'
import { addListRoutes } from './http/list-routes.ts'
import { addStatisticsRoutes } from './http/statistics-routes.ts'
import { addVoteRoutes } from './http/vote-routes.ts'
import { createModeratorSession } from './people/moderator-session.ts'
import type { Identify } from './people/person.ts'
import { createVisitors } from './people/visitors.ts'
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
  /** Observe each request beside the metrics, the outermost first; none when not given. */
  readonly observers?: readonly Observer[]
  readonly readiness: ReadinessChecks
  /** Returns the name and the picture of a product; the pages show ids when not given. */
  readonly showProduct?: ShowProduct
  /** Returns who sent a request; without it machines alone can write, by token. */
  readonly identify?: Identify
  /** The address of the pages as seen from outside; without it they contain no absolute address. */
  readonly publicUrl?: string | undefined
  /** Milliseconds since 1970; `Date.now` when not given. */
  readonly clock?: () => number
}

/** Makes the HTTP API and the web pages as one application; `app.request()` asks it without a socket. */
export function createApp(services: Services, settings: AppSettings): App {
  const {
    tokens,
    logger,
    metrics,
    observers = [],
    readiness,
    showProduct,
    identify,
    publicUrl,
    clock = Date.now,
  } = settings
  const roleOf = rolesByToken(tokens, clock)
  const limitWork = createWorkLimit()
  const visitors = createVisitors({
    identity: identify && { identify },
    session: createModeratorSession(tokens, { publicUrl, clock }),
    ...{ logger, publicUrl },
  })
  const app: App = new Hono<AppEnv>({ getPath: routedPath })

  app.use(requestLog(logger, [...observers, metrics.observer]))
  app.use((_, next) => withinDatabaseBudget(next))
  app.use(securityHeaders())
  if (publicUrl !== undefined) app.use(seenAt(publicUrl))
  app.use(async (context, next) => {
    requireDecodable(requestTarget(context.req.raw, context.env))
    await next()
  })

  const routes: RouteDeclaration[] = []
  const addRoute = createAddRoute(app, { roleOf, limitWork, declared: (route) => routes.push(route) })
  addListRoutes(addRoute, services)
  addCommentRoutes(addRoute, services)
  addVoteRoutes(addRoute, services, visitors)
  addStatisticsRoutes(addRoute, services)
  addHealthRoutes(addRoute, readiness)
  addMetricsRoute(addRoute, metrics)
  addDocsRoutes(app, routes)
  app.route('/', webRoutes(services, { authorize: roleOf, visitors, limitWork, showProduct, clock }))

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
