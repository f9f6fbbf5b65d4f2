import { Hono } from 'hono'
import { type DatabaseServices, type Observer, shown } from 'lapidary'
import { answerUnrouted } from './answer-unrouted.ts'
import { withinDatabaseBudget } from './database-budget.ts'
import { lapidaryRoutes, type RoutesOptions } from './lapidary-routes.ts'
import type { Logger } from './logger.ts'
import type { Metrics } from './metrics.ts'
import { HttpProblem, toProblem } from './problem.ts'
import { requestLog } from './request-log.ts'
import { routedPath } from './request-target.ts'
import type { App, AppEnv } from './routing.ts'
import { securityHeaders } from './security-headers.ts'

/** The options of {@link createApi}. */
export interface ApiOptions extends Omit<RoutesOptions, 'onError'> {
  readonly logger: Logger
  readonly metrics: Metrics
  /** Observe each request beside the metrics, the outermost first; the same as the database has. */
  readonly observers?: readonly Observer[]
  /**
   * The names of this server that a request may ask for; any when not given. One on loopback names them: a page of another site could have its
   * own name resolved to this machine, and read what it is answered.
   */
  readonly hosts?: readonly string[]
}

/**
 * Makes a whole application of a database's collections: its routes, with a line in the log for each request, figures for Prometheus, a time
 * limit for the database, and an answer for every other path.
 */
export function createApi(database: DatabaseServices, options: ApiOptions): App {
  const { logger, metrics, hosts, observers = [], ...others } = options
  const app: App = new Hono<AppEnv>({ getPath: routedPath })
  app.use(requestLog(logger, [...observers, metrics.observer]))
  app.use((_, next) => withinDatabaseBudget(next))
  app.use(securityHeaders())
  if (hosts !== undefined)
    app.use(async ({ req }, next) => {
      const { hostname } = new URL(req.url)
      if (!hosts.includes(hostname))
        throw new HttpProblem('forbidden', `this server answers as ${hosts.join(' and ')}, not as ${shown(hostname)}`)
      await next()
    })
  app.route('/', lapidaryRoutes(database, { ...others, metrics, onError: (err, id) => logger.error({ id, err }) }))
  app.notFound((context) => answerUnrouted(app, context))
  app.onError((error, context) => {
    const problem = toProblem(error)
    const id = context.get('requestId')
    if (problem.status >= 500) logger.error({ id, err: problem.cause ?? problem })
    return problem.toResponse(`urn:uuid:${id}`)
  })
  return app
}
