import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { z } from 'zod'
import { type Authorize, type Role, requireRole } from './access.ts'
import { inputIssues, readJsonBody } from './body.ts'
import { badRequest } from './problem.ts'
import { type HttpCode, PROBLEM_CODES } from './problem-codes.ts'
import { addressOf, type Bindings, queryParameters } from './request-target.ts'
import { problemSchema } from './schemas.ts'
import type { WorkLimit } from './work-limit.ts'

export interface AppEnv {
  Bindings: Bindings
  Variables: {
    /** The id of this request in its answer and in the log. */
    requestId: string
  }
}

export type App = OpenAPIHono<AppEnv>

/** One route: `/openapi.json` describes exactly what the route checks. */
export interface RouteDeclaration<P extends z.ZodObject, B extends z.ZodType> {
  readonly method: 'get' | 'post' | 'patch' | 'delete'
  /** The path with parameters in braces: `/comments/{id}`. */
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tag: string
  /** The role that may call it; everyone when not given. */
  readonly role?: Role
  readonly params?: P
  /** The known parameters; others are refused. The handler parses their values. */
  readonly query?: z.ZodObject
  readonly headers?: z.ZodObject
  readonly body?: B
  readonly answers: Readonly<Record<number, Answer>>
  readonly problems: readonly HttpCode[]
  /** Answers also while the server is at its work limit: machines ask these routes for its state. */
  readonly always?: true
}

interface Answer {
  readonly description: string
  readonly schema?: z.ZodType
  /** The content type of an answer that is not JSON. */
  readonly contentType?: string
  /** Descriptions by header name. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A request after the route's checks. */
interface CheckedRequest<P extends z.ZodObject, B extends z.ZodType> {
  readonly params: z.output<P>
  readonly query: URLSearchParams
  readonly body: z.output<B>
}

/** Adds routes to an application and to its description. */
export type AddRoute = <P extends z.ZodObject = z.ZodObject<Record<never, never>>, B extends z.ZodType = z.ZodVoid>(
  declaration: RouteDeclaration<P, B>,
  handle: (context: Context<AppEnv>, request: CheckedRequest<P, B>) => Promise<Response> | Response,
) => void

/** Problems that any request can meet. */
const COMMON_PROBLEMS: readonly HttpCode[] = ['bad_request', 'request_timeout', 'headers_too_large', 'internal_error']

export function createAddRoute(app: App, authorize: Authorize, limitWork: WorkLimit): AddRoute {
  return (declaration, handle) => {
    describe(app, declaration)
    const { method, role, params, query, body, always } = declaration
    app.on(method.toUpperCase(), declaration.path.replace(/\{(\w+)\}/g, ':$1'), async (context) => {
      if (role !== undefined) {
        const address = addressOf(context.env)
        requireRole(authorize, { header: context.req.header('authorization'), address, needed: role })
      }
      const search = queryParameters(context.req.raw, context.env)
      if (query !== undefined) requireKnown(search, Object.keys(query.shape))
      const request = {
        params: checkedParams(params, context.req.param()) as never,
        query: search,
        body: (body === undefined ? undefined : await readJsonBody(context.req.raw, body)) as never,
      }
      const answer = async () => handle(context, request)
      return always === true ? answer() : limitWork(answer)
    })
  }
}

function checkedParams(schema: z.ZodObject | undefined, params: Record<string, string>): unknown {
  if (schema === undefined) return {}
  const result = schema.safeParse(params)
  if (!result.success) throw badRequest('the path was refused', inputIssues(result.error.issues))
  return result.data
}

function requireKnown(search: URLSearchParams, known: readonly string[]): void {
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

function describe<P extends z.ZodObject, B extends z.ZodType>(app: App, route: RouteDeclaration<P, B>): void {
  const { params, query, headers, body, role } = route
  app.openAPIRegistry.registerPath({
    method: route.method,
    path: route.path,
    operationId: route.operationId,
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    tags: [route.tag],
    security: role === undefined ? [] : [{ [role]: [] }],
    request: {
      ...(params === undefined ? {} : { params }),
      ...(query === undefined ? {} : { query }),
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined ? {} : { body: { required: true, content: { 'application/json': { schema: body } } } }),
    },
    responses: { ...describedAnswers(route.answers), ...describedProblems(problemsOf(route)) },
  })
}

function problemsOf({ role, body, problems }: RouteDeclaration<z.ZodObject, z.ZodType>): readonly HttpCode[] {
  const ofRole: readonly HttpCode[] =
    role === undefined
      ? []
      : role === 'admin'
        ? ['unauthorized', 'forbidden', 'rate_limited']
        : ['unauthorized', 'rate_limited']
  const ofBody: readonly HttpCode[] = body === undefined ? [] : ['too_large', 'unsupported_media_type', 'unprocessable']
  return [...new Set([...COMMON_PROBLEMS, ...ofRole, ...ofBody, ...problems])]
}

function describedAnswers(answers: Readonly<Record<number, Answer>>): Record<string, { description: string }> {
  return Object.fromEntries(
    Object.entries(answers).map(([status, { description, schema, contentType = 'application/json', headers }]) => [
      status,
      {
        description,
        ...(schema === undefined ? {} : { content: { [contentType]: { schema } } }),
        ...(headers === undefined ? {} : { headers: describedHeaders(headers) }),
      },
    ]),
  )
}

function describedProblems(codes: readonly HttpCode[]): Record<string, { description: string }> {
  const statuses = [...new Set(codes.map((code) => PROBLEM_CODES[code].status))]
  return Object.fromEntries(
    statuses.map((status) => [
      String(status),
      {
        description: codes
          .filter((code) => PROBLEM_CODES[code].status === status)
          .map((code) => `\`${code}\`: ${PROBLEM_CODES[code].title}`)
          .join('. '),
        content: { 'application/problem+json': { schema: problemSchema } },
        ...(status === 429 || status === 503
          ? { headers: describedHeaders({ 'Retry-After': 'Seconds to wait before the next try.' }) }
          : {}),
      },
    ]),
  )
}

function describedHeaders(headers: Readonly<Record<string, string>>): Record<string, object> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  )
}
