import { randomUUID } from 'node:crypto'
import { type Context, Hono } from 'hono'
import type { AnyCollection, CollectionClient, DatabaseServices } from 'lapidary'
import { type Access, type Action, type Authorize, isPersonal } from './collections/access.ts'
import { COLLECTION_ROUTES, type CollectionRoute, type LetIn } from './collections/collection-routes.ts'
import {
  type ApiTold,
  answerDescription,
  answerDocs,
  answerErrors,
  type DescribedCollection,
  describeCollections,
} from './collections/docs-routes.tsx'
import { type CollectionNames, collectionNames } from './collections/names.ts'
import { readSentItem } from './collections/sent-body.ts'
import type { Admitted, Served } from './collections/served.ts'
import { createViews, type View } from './collections/view.ts'
import { addHealthRoutes, type ReadinessChecks } from './health-routes.ts'
import type { Metrics } from './metrics.ts'
import { addMetricsRoute } from './metrics-route.ts'
import { HttpProblem, toProblem } from './problem.ts'
import { addressOf, queryParameters, requestTarget, requireDecodable, routedPath } from './request-target.ts'
import type { RouteDeclaration } from './route.ts'
import { type App, type AppEnv, createAddRoute, requireKnown, routerPath } from './routing.ts'
import { setSecurityHeaders } from './security-headers.ts'
import { createWorkLimit, type WorkLimit } from './work-limit.ts'

/** The options of {@link lapidaryRoutes}. */
export interface RoutesOptions {
  /** Decides what a request may see and do; {@link byTokens} lets all requests read. */
  readonly authorize: Authorize
  /** What the description of the API is headed with. */
  readonly title?: string
  readonly description?: string
  readonly version?: string
  /** The most RCU that the list of one request may read; 50 when not given. */
  readonly maxCapacity?: number
  /** Returns the milliseconds by which the counts are behind, where that is too much to show them; else undefined. */
  readonly countsBehind?: () => number | undefined
  /** The limit of requests under way; one of its own when not given. */
  readonly limitWork?: WorkLimit
  /** What `/readyz` asks; whether the table answers when not given. */
  readonly readiness?: ReadinessChecks
  /** What `/metrics` tells; there is none when not given. */
  readonly metrics?: Metrics
  /** Told of each error that is the server's own, with the `instance` that the client was told. */
  readonly onError?: (error: unknown, instance: string) => void
}

/** A database whose collections are served: what `createLapidary` returns. */
export type ServedDatabase = DatabaseServices & { readonly [name: string]: unknown }

/** The RCU of 400 KB of items. */
const DEFAULT_MAX_CAPACITY = 50

/**
 * Makes the HTTP API of a database's collections, to be mounted in an application of Hono, or served by itself: lists, pages by number, counts,
 * leaderboards and items, with `/openapi.json` and `/docs`.
 *
 * @throws {LapidaryError} `declaration_invalid` for a collection whose name can't be part of an address.
 * @example
 * ```ts
 * import { Hono } from 'hono'
 * import { byTokens } from 'lapidary-http'
 *
 * const authorize = byTokens({ admin: 'the token of an admin' })
 * const app = new Hono().route('/api', lapidaryRoutes(lapidary, { authorize }))
 * ```
 */
export function lapidaryRoutes(database: DatabaseServices, options: RoutesOptions): App {
  const { authorize, limitWork = createWorkLimit(), metrics } = options
  const { title = 'Collections', version = '1', description } = options
  const app: App = new Hono<AppEnv>({ getPath: routedPath })
  const collections = servedCollections(database as ServedDatabase, options)
  const access = async (context: Context<AppEnv>, kind: Action['kind'], collection: string): Promise<Access> =>
    authorize(context.req.raw, { kind, collection, address: addressOf(context.env) })

  for (const { served, names } of collections)
    for (const route of COLLECTION_ROUTES)
      app.on(route.method.toUpperCase(), routerPath(`/${names.path}${route.path}`), (context) => {
        const base = baseOf(context, `/${names.path}${route.path}`)
        return answering(context, base, options, async () => {
          const admitAs = async (kind: Action['kind']) => admit(served, await access(context, kind, served.name))
          const admitted = await admitAs(route.action)
          return letIn({ context, route, admitted, path: `${base}/${names.path}`, limitWork, admitAs })
        })
      })

  const operations: RouteDeclaration[] = []
  const addRoute = createAddRoute(app, {
    limitWork,
    roleOf: () => undefined,
    declared: (route) => operations.push(route),
    around: (context, path, run) => answering(context, baseOf(context, path), options, run),
  })
  addHealthRoutes(
    addRoute,
    options.readiness ?? { table: async () => ({ ok: (await database.table.describe()) !== undefined }) },
  )
  if (metrics !== undefined) addMetricsRoute(addRoute, metrics)

  const told: ApiTold = { title, version, description }
  const seen = async (context: Context<AppEnv>): Promise<readonly DescribedCollection[]> => {
    const each = collections.map(async ({ served, names }) => {
      try {
        const own = await access(context, 'describe', served.name)
        return [{ served, names, access: own, view: served.viewOf(own) }]
      } catch (error) {
        if (error instanceof HttpProblem && error.status < 500 && error.status !== 429) return []
        throw error
      }
    })
    return (await Promise.all(each)).flat()
  }
  const described = (path: string, answer: (context: Context<AppEnv>, base: string) => Promise<Response>): void => {
    app.get(path, (context) => {
      const base = baseOf(context, path)
      return answering(context, base, options, () => answer(context, base))
    })
  }
  described('/openapi.json', async (context, base) => {
    const shown = await seen(context)
    const isPrivate = shown.length < collections.length || shown.some((each) => isPersonal(each.access))
    const api = await describeCollections(told, shown, operations, base)
    return answerDescription(context, api, isPrivate ? 'private, no-cache' : 'no-cache')
  })
  described('/docs', async (context, base) =>
    answerDocs(context, await describeCollections(told, await seen(context), operations, base), base),
  )
  described('/docs/errors', answerErrors)
  answerOtherMethods(app, options)
  return app
}

/** Answers the methods that a path does not have. */
function answerOtherMethods(app: App, options: RoutesOptions): void {
  const methods = new Map<string, string[]>()
  for (const { path, method } of app.routes) methods.set(path, [...(methods.get(path) ?? []), method])
  for (const [path, those] of methods) {
    const allow = [...those.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method)), 'OPTIONS'].join(', ')
    app.all(path, (context) =>
      answering(context, baseOf(context, path), options, () => {
        const { method } = context.req
        if (method === 'OPTIONS') return new Response(null, { status: 204, headers: { allow } })
        throw new HttpProblem('method_not_allowed', `${method} is not allowed here; there are ${allow}`, {
          headers: { allow },
        })
      }),
    )
  }
}

interface NamedCollection {
  readonly served: Served
  readonly names: CollectionNames
}

function servedCollections(database: ServedDatabase, options: RoutesOptions): readonly NamedCollection[] {
  const { maxCapacity = DEFAULT_MAX_CAPACITY, countsBehind = () => undefined } = options
  const clients = Object.entries(database).flatMap(([name, value]) => {
    const client = value as Partial<CollectionClient<unknown>>
    return client.context?.collection === undefined ? [] : [[name, client as CollectionClient<unknown>] as const]
  })
  const declared = clients.map(([name, { context }]) => [name, context.collection as AnyCollection] as const)
  const names = collectionNames(Object.fromEntries(declared))
  return clients.map(([name, client]) => {
    const collection = client.context.collection as AnyCollection
    return {
      names: names.get(name) as CollectionNames,
      served: { ...{ name, collection, client, maxCapacity, countsBehind }, viewOf: createViews(collection) },
    }
  })
}

function admit(served: Served, access: Access): Admitted {
  return { served, access, view: served.viewOf(access) }
}

interface Entering {
  readonly context: Context<AppEnv>
  readonly route: CollectionRoute
  readonly admitted: Admitted
  readonly path: string
  readonly limitWork: WorkLimit
  readonly admitAs: LetIn['admitAs']
}

/** Reads the address and the body of a request, and answers it when its turn comes. */
async function letIn({ context, route, admitted, path, limitWork, admitAs }: Entering): Promise<Response> {
  const { req, env } = context
  const search = queryParameters(req.raw, env)
  requireKnown(search, knownParameters(route, admitted.view))
  const sent = route.sends === undefined ? {} : await readSentItem(admitted.view, req.raw, route.sends)
  return limitWork(() => route.answer({ context, admitted, search, path, sent, params: req.param(), admitAs }))
}

const known = new WeakMap<View, Map<CollectionRoute, readonly string[]>>()

/** Returns the parameters that a route takes; made once for each view, since schemas take longer to make than a page. */
function knownParameters(route: CollectionRoute, view: View): readonly string[] {
  const ofView = known.get(view) ?? new Map<CollectionRoute, readonly string[]>()
  known.set(view, ofView)
  const names = ofView.get(route) ?? Object.keys(route.query?.(view).shape ?? {})
  ofView.set(route, names)
  return names
}

/** Answers a request, or says what is wrong with it, with the headers of every answer. */
async function answering(
  context: Context<AppEnv>,
  base: string,
  { onError }: RoutesOptions,
  run: () => Promise<Response> | Response,
): Promise<Response> {
  const response = await Promise.resolve()
    .then(() => {
      requireDecodable(requestTarget(context.req.raw, context.env))
      return run()
    })
    .catch((error: unknown) => {
      const problem = toProblem(error)
      const instance = `urn:uuid:${context.get('requestId') ?? randomUUID()}`
      if (problem.status >= 500 && problem.code !== 'not_implemented') onError?.(problem.cause ?? problem, instance)
      return problem.toResponse(instance, base)
    })
  setSecurityHeaders(response)
  return response
}

/** Returns the path below which the routes are mounted, by the pattern of the one that answers. */
function baseOf({ req, env }: Context<AppEnv>, pattern: string): string {
  const parts = requestTarget(req.raw, env).path.split('/')
  return parts.slice(0, parts.length - (pattern.split('/').length - 1)).join('/')
}
