/** @module lapidary-http */

export { type Access, type Action, type Authorize, byTokens } from './collections/access.ts'
export { lapidaryRoutes, type RoutesOptions } from './lapidary-routes.ts'
export { HttpProblem } from './problem.ts'
export type { HttpCode } from './problem-codes.ts'
export type { Tokens } from './tokens.ts'
