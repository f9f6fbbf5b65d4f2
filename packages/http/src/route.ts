import type { z } from 'zod'
import type { HttpCode } from './problem-codes.ts'
import type { Role } from './tokens.ts'

/** One route: `/openapi.json` describes exactly what the route checks. */
export interface RouteDeclaration<P extends z.ZodObject = z.ZodObject, B extends z.ZodType = z.ZodType> {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** The path with parameters in braces: `/comments/{id}`. */
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tag: string
  /** The role that may call it; everyone when not given. */
  readonly role?: Role
  /**
   * The people who may call it without a token: whom the application knows, or its moderators among them. The handler sees to what each may. A
   * route for people without a role is for no others.
   */
  readonly people?: People
  readonly params?: P
  /** The known parameters; others are refused. The handler parses their values. */
  readonly query?: z.ZodObject
  readonly headers?: z.ZodObject
  readonly body?: B
  /** The file that is the body, instead of JSON. */
  readonly file?: FileBody
  readonly answers: Readonly<Record<number, Answer>>
  readonly problems: readonly HttpCode[]
  /** Answers also while the server is at its work limit: machines ask these routes for its state. */
  readonly always?: true
}

/** A body that is a file. */
export interface FileBody {
  /** Its content types, as `image/png`. */
  readonly types: readonly string[]
  /** The most bytes. */
  readonly most: number
}

/** The people whom a route lets in. */
export type People = 'known' | 'moderators'

/** One answer of a route, by its status. */
export interface Answer {
  readonly description: string
  readonly schema?: z.ZodType
  /** The content type of an answer that is not JSON. */
  readonly contentType?: string
  /** Descriptions by header name. */
  readonly headers?: Readonly<Record<string, string>>
}
