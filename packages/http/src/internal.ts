/**
 * Parts of an HTTP API that Lapidary's own programs are built from: problem documents, tags, bodies, tokens, routes that describe themselves, limits,
 * readiness and metrics. They are no part of what the package promises.
 *
 * @module lapidary-http/internal
 */

export { answerUnrouted } from './answer-unrouted.ts'
export { type DescribedApi, describeApi, type JsonSchema, type OpenApiDocument } from './api-description.ts'
export { ApiReference } from './api-reference.tsx'
export { MAX_BODY_BYTES, readBytes, readJsonBody, readText } from './body.ts'
export { type CapacityListener, capacityLeft, observeCapacity } from './capacity.ts'
export type { PageAddress } from './collections/address.ts'
export { answerPage, type PageAnswer, withKnownTotal } from './collections/answer-page.ts'
export { type ParameterReader, parameterReader } from './collections/parameter-reader.ts'
export { budgetedClient, withinDatabaseBudget } from './database-budget.ts'
export { entityTag, matchedVersions, namesTag, parseTagCondition, type TagCondition } from './entity-tags.ts'
export { ErrorsReference } from './errors-reference.tsx'
export { addHealthRoutes, type ReadinessChecks, type ReadinessReport } from './health-routes.ts'
export { type Links, linkHeader, pathSegment } from './links.ts'
export type { Logger } from './logger.ts'
export { createMetrics, type Metrics } from './metrics.ts'
export { addMetricsRoute } from './metrics-route.ts'
export { allowedVersion, checkedIdempotencyKey } from './preconditions.ts'
export { badRequest, HttpProblem, toProblem, unprocessable } from './problem.ts'
export { type HttpCode, PROBLEM_CODES } from './problem-codes.ts'
export { createRateLimit, type RateLimit } from './rate-limit.ts'
export { registeredTracing, type Tracing } from './registered-tracing.ts'
export { requestLog } from './request-log.ts'
export { requestIds, withinRequest } from './request-scope.ts'
export { addressOf, type Bindings, requestTarget, requireDecodable, routedPath } from './request-target.ts'
export type { Answer, RouteDeclaration } from './route.ts'
export { type AddRoute, type App, type AppEnv, type CheckedRequest, createAddRoute } from './routing.ts'
export {
  conditions,
  idempotencyKey,
  ifNoneMatch,
  listHeaders,
  MAX_PAGE,
  orNull,
  pageSchema,
  TAG,
  UNCHANGED,
  WRITTEN_HEADER,
} from './schemas.ts'
export { SECURITY_HEADERS, securityHeaders } from './security-headers.ts'
export { answerTagged } from './tagged-answer.ts'
export { type Role, type RoleOf, requireRole, rolesByToken, severalOf, type Tokens } from './tokens.ts'
export { createWorkLimit, type WorkLimit } from './work-limit.ts'
export { tellWritten, WRITTEN, writtenIn } from './written.ts'
