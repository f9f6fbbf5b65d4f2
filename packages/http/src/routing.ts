import type { Context, Hono } from 'hono'
import type { z } from 'zod'
import { inputIssues, readFileBody, readJsonBody } from './body.ts'
import { badRequest } from './problem.ts'
import { addressOf, type Bindings, queryParameters } from './request-target.ts'
import type { People, RouteDeclaration } from './route.ts'
import { type RoleOf, requireRole, unauthorized } from './tokens.ts'
import { createWorkLimit, type WorkLimit } from './work-limit.ts'

/** The environment of an application: what its server adds to a request, and what its middleware does. */
export interface AppEnv {
  Bindings: Bindings
  Variables: {
    /** The id of this request in its answer and in the log. */
    requestId: string
  }
}

/** An application that routes are added to. */
export type App = Hono<AppEnv>

/** A request after the route's checks. */
export interface CheckedRequest<P extends z.ZodObject, B extends z.ZodType> {
  readonly params: z.output<P>
  readonly query: URLSearchParams
  readonly body: z.output<B>
  /** The file that was sent; empty where the route takes none. */
  readonly file: Uint8Array<ArrayBuffer>
}

/** Adds routes to an application and to its description. */
export type AddRoute = <P extends z.ZodObject = z.ZodObject<Record<never, never>>, B extends z.ZodType = z.ZodVoid>(
  declaration: RouteDeclaration<P, B>,
  handle: (context: Context<AppEnv>, request: CheckedRequest<P, B>) => Promise<Response> | Response,
) => void

/** What {@link createAddRoute} needs. */
export interface RoutingOptions {
  readonly roleOf: RoleOf
  readonly limitWork: WorkLimit
  /** Tells whether a request is of such a person; of none when not given. */
  readonly isOf?: (context: Context<AppEnv>, people: People) => Promise<boolean>
  /** Told of each route, for the description. */
  readonly declared: (route: RouteDeclaration) => void
  /** What is done around each answer; nothing when not given. */
  readonly around?: (context: Context<AppEnv>, path: string, run: () => Promise<Response>) => Promise<Response>
}

/** Makes the function that adds routes to an application: each is checked as it is declared. */
export function createAddRoute(
  app: App,
  { roleOf, limitWork, declared, isOf = async () => false, around = (_, __, run) => run() }: RoutingOptions,
): AddRoute {
  const requireCaller = async (context: Context<AppEnv>, { role, people }: RouteDeclaration): Promise<void> => {
    if (role === undefined && people === undefined) return
    if (people !== undefined && (await isOf(context, people))) return
    if (role === undefined) throw unauthorized('this is for people who are signed in', '')
    const address = addressOf(context.env)
    requireRole(roleOf, { header: context.req.header('authorization'), address, needed: role })
  }
  const limitFiles = createWorkLimit(FILES_AT_ONCE)
  return (declaration, handle) => {
    declared(declaration as unknown as RouteDeclaration)
    const { method, params, query, body, file, always } = declaration
    const answered = async (context: Context<AppEnv>): Promise<Response> => {
      await requireCaller(context, declaration as unknown as RouteDeclaration)
      const search = queryParameters(context.req.raw, context.env)
      if (query !== undefined) requireKnown(search, Object.keys(query.shape))
      const request = {
        params: checkedParams(params, context.req.param()) as never,
        query: search,
        body: (body === undefined ? undefined : await readJsonBody(context.req.raw, body)) as never,
        file: file === undefined ? NO_FILE : await limitFiles(() => readFileBody(context.req.raw, file)),
      }
      const answer = async () => handle(context, request)
      // Who works on files has limits of its own: it takes long, and nothing else should wait for it.
      return always === true || file !== undefined ? answer() : limitWork(answer)
    }
    app.on(method.toUpperCase(), routerPath(declaration.path), (context) =>
      around(context, declaration.path, () => answered(context)),
    )
  }
}

const NO_FILE = new Uint8Array()
/** The most files that are received at once: each is in memory. A slow one keeps other files waiting, and nothing else. */
const FILES_AT_ONCE = 8

/** Writes a declared path as the router takes it. */
export function routerPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1')
}

function checkedParams(schema: z.ZodObject | undefined, params: Record<string, string>): unknown {
  if (schema === undefined) return {}
  const result = schema.safeParse(params)
  if (!result.success) throw badRequest('the path was refused', inputIssues(result.error.issues))
  return result.data
}

/** @throws {HttpProblem} `bad_request` for a parameter that is not known. */
export function requireKnown(search: URLSearchParams, known: readonly string[]): void {
  const unknown = [...new Set(search.keys())].filter((name) => !known.includes(name))
  if (unknown.length === 0) return
  const message =
    known.length === 0
      ? 'is not known here: there are no parameters'
      : `is not known here: there are ${known.join(', ')}`
  throw badRequest(
    'the query was refused',
    unknown.map((path) => ({ path, message })),
  )
}
