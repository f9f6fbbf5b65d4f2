import type { OpenAPIRegistry } from '@asteasolutions/zod-to-openapi'
import { withNumberFormats } from './number-formats.ts'
import { type HttpCode, PROBLEM_CODES } from './problem-codes.ts'
import type { Answer, FileBody, RouteDeclaration } from './route.ts'
import { problemSchema } from './schemas.ts'

/** The part of an OpenAPI document that pages show. */
export interface OpenApiDocument {
  readonly info: ApiInfo
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}

/** The name of an API, and what it is for. */
export interface ApiInfo {
  readonly title: string
  readonly version: string
  readonly description?: string
  readonly license?: { readonly name: string }
}

/** One request that an API takes. */
export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly security: readonly Readonly<Record<string, unknown>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>
}

/** A parameter of a request: in its path, its query or its headers. */
export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: JsonSchema
}

/** Schemas by the content type of a body. */
export type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>

/** A JSON Schema, as far as this package reads it. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly default?: unknown
  readonly [keyword: string]: unknown
}

/** The parts of an OpenAPI document that are not its routes. */
export interface DescribedApi {
  readonly info: ApiInfo
  /** The address below which the paths are; `/` when not given. */
  readonly base?: string
  /** The sections of the routes, in order. */
  readonly tags: readonly string[]
  readonly routes: readonly RouteDeclaration[]
  /** Schemas by the names that routes refer to. */
  readonly schemas?: Readonly<Record<string, JsonSchema>>
}

/** Writes the OpenAPI 3.1 document of some routes. What writes it is loaded late: a function that lists has no use of it when it starts. */
export async function describeApi(api: DescribedApi): Promise<OpenApiDocument> {
  const { info, base = '/', tags, routes, schemas = {} } = api
  const { OpenAPIRegistry, OpenApiGeneratorV31 } = await import('@asteasolutions/zod-to-openapi')
  const registry = new OpenAPIRegistry()
  const bearer = (description: string) => ({ type: 'http', scheme: 'bearer', description }) as const
  registry.registerComponent('securitySchemes', 'writer', bearer('A writer’s token, or the admin’s.'))
  registry.registerComponent('securitySchemes', 'admin', bearer('The admin’s token.'))
  if (routes.some(({ people }) => people !== undefined)) registry.registerComponent('securitySchemes', 'person', PERSON)
  for (const [name, schema] of Object.entries(schemas)) registry.registerComponent('schemas', name, schema as object)
  for (const route of routes) describe(registry, route)
  const document = new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: { ...info },
    servers: [{ url: base }],
    tags: tags.map((name) => ({ name })),
  })
  return withNumberFormats(document) as OpenApiDocument
}

/** How people are known is the application's matter; in most it is a cookie. */
const PERSON = {
  type: 'apiKey',
  in: 'cookie',
  name: 'session',
  description:
    'A person who is signed in. How they are known, and by which cookie or header, is up to the application.',
} as const

/** Problems that any request can meet. */
const COMMON_PROBLEMS: readonly HttpCode[] = ['bad_request', 'request_timeout', 'headers_too_large', 'internal_error']

function describe(registry: OpenAPIRegistry, route: RouteDeclaration): void {
  const { params, query, headers, body, file, role, people } = route
  registry.registerPath({
    method: route.method,
    path: route.path,
    operationId: route.operationId,
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    tags: [route.tag],
    security: [...(role === undefined ? [] : [{ [role]: [] }]), ...(people === undefined ? [] : [{ person: [] }])],
    request: {
      ...(params === undefined ? {} : { params }),
      ...(query === undefined ? {} : { query }),
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined ? {} : { body: { required: true, content: { 'application/json': { schema: body } } } }),
      ...(file === undefined ? {} : { body: { required: true, content: describedFile(file) } }),
    },
    responses: { ...describedAnswers(route.answers), ...describedProblems(problemsOf(route)) },
  })
}

function describedFile({ types, most }: FileBody): Record<string, { schema: object }> {
  return Object.fromEntries(
    types.map((type) => [type, { schema: { type: 'string', format: 'binary', maxLength: most } }]),
  )
}

function problemsOf({ role, people, body, file, problems }: RouteDeclaration): readonly HttpCode[] {
  const ofRole: readonly HttpCode[] = [
    ...(role === undefined && people === undefined ? [] : (['unauthorized', 'rate_limited'] as const)),
    ...(role === 'admin' || people !== undefined ? (['forbidden'] as const) : []),
  ]
  const isBare = body === undefined && file === undefined
  const ofBody: readonly HttpCode[] = isBare ? [] : ['too_large', 'unsupported_media_type', 'unprocessable']
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
