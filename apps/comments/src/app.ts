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
import type { Catalogue } from './catalogue/catalogue.ts'
import { addCommentRoutes } from './http/comment-routes.ts'
import { addDocsRoutes } from './http/docs-routes.ts'
import { addListRoutes } from './http/list-routes.ts'
import { addModerationRoutes } from './http/moderation-routes.ts'
import { addPeopleRoutes } from './http/people-routes.ts'
import type { addPhotoRoutes } from './http/photo-routes.ts'
import { addStatisticsRoutes } from './http/statistics-routes.ts'
import { addVoteRoutes } from './http/vote-routes.ts'
import { createDemoSignIn } from './people/demo-sign-in.ts'
import { createModeratorSession } from './people/moderator-session.ts'
import { createPeopleRules, type Moderation } from './people/people-rules.ts'
import type { Identity } from './people/person.ts'
import { createVisitors } from './people/visitors.ts'
import type { Services } from './services.ts'
import { asksForPage, problemPage } from './web/problem-answers.tsx'
import { loadsWords, seenAt } from './web/reader.ts'
import { webRoutes } from './web/routes.tsx'

/** The settings of the application beside its services. */
export interface AppSettings {
  readonly tokens: Tokens
  readonly logger: Logger
  readonly metrics: Metrics
  /** Observe each request beside the metrics, the outermost first; none when not given. */
  readonly observers?: readonly Observer[]
  readonly readiness: ReadinessChecks
  /** The products; the pages show ids, and a page for each, when not given. */
  readonly catalogue?: Catalogue | undefined
  /** Says who sends requests, and what else the shop tells of its people; without it machines alone can write, by token. */
  readonly identity?: Identity
  /** Whether new comments of people show at once (`show`, when not given), or wait for a moderator. */
  readonly moderation?: Moderation
  /** Lets people sign in by a name alone, where there is no `identity`: the secret that signs their cookie. For demos only. */
  readonly demoSignIn?: string
  /** Adds the routes of photos, where there are some: functions have none, and do not load them. */
  readonly photoRoutes?: typeof addPhotoRoutes
  /** The address of the pages as seen from outside; without it they contain no absolute address. */
  readonly publicUrl?: string | undefined
  /** Milliseconds since 1970; `Date.now` when not given. */
  readonly clock?: () => number
}

/** Makes the HTTP API and the web pages as one application; `app.request()` asks it without a socket. */
export function createApp(services: Services, settings: AppSettings): App {
  const { tokens, logger, metrics, observers = [], readiness, catalogue, publicUrl, clock = Date.now } = settings
  const { identity, moderation, demoSignIn, photoRoutes } = settings
  const roleOf = rolesByToken(tokens, clock)
  const session = createModeratorSession(tokens, { publicUrl, clock })
  const demo =
    identity === undefined && demoSignIn !== undefined ? createDemoSignIn(demoSignIn, { publicUrl, clock }) : undefined
  const visitors = createVisitors({
    ...{ identity: identity ?? demo, session, logger, publicUrl },
  })
  const people = createPeopleRules(services, { visitors, moderation, catalogue, clock })
  const limitWork = createWorkLimit()
  const app: App = new Hono<AppEnv>({ getPath: routedPath })

  app.use(requestLog(logger, [...observers, metrics.observer]))
  app.use(loadsWords())
  app.use((_, next) => withinDatabaseBudget(next))
  app.use(securityHeaders())
  if (publicUrl !== undefined) app.use(seenAt(publicUrl))
  app.use(async (context, next) => {
    requireDecodable(requestTarget(context.req.raw, context.env))
    await next()
  })

  const routes: RouteDeclaration[] = []
  const addRoute = createAddRoute(app, {
    ...{ roleOf, limitWork },
    declared: (route) => routes.push(route),
    isOf: async (context, of) =>
      of === 'moderators' ? visitors.isModerator(context) : (await visitors.personOf(context)) !== undefined,
  })
  addListRoutes(addRoute, services)
  addCommentRoutes(addRoute, services, people)
  photoRoutes?.(addRoute, services, people, roleOf)
  addPeopleRoutes(addRoute, people)
  addModerationRoutes(addRoute, services)
  addVoteRoutes(addRoute, people)
  addStatisticsRoutes(addRoute, services)
  addHealthRoutes(addRoute, readiness)
  addMetricsRoute(addRoute, metrics)
  addDocsRoutes(app, routes)
  if (identity?.routes !== undefined) app.route('/', identity.routes())
  app.route(
    '/',
    webRoutes(services, {
      ...{ authorize: roleOf, people, session, demo },
      ...{ limitWork, catalogue, publicUrl, clock },
    }),
  )

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
