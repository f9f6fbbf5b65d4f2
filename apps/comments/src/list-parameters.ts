import { DEFAULT_LIMIT, LapidaryError, type ListOrder, MAX_LIMIT } from 'lapidary'
import { MAX_PAGE, parameterReader } from 'lapidary-http/internal'
import { languageSchema, timeSchema } from './comment.ts'

export const RATINGS = [5, 4, 3, 2, 1] as const

export type Rating = (typeof RATINGS)[number]

/** The parameters of a list; the same for the HTTP API and the web pages. */
export interface ListParameters {
  /** The language; undefined = any. */
  readonly language: string | undefined
  /** The ratings, ascending, without repeats; empty = any. */
  readonly ratings: readonly Rating[]
  readonly order: ListOrder
  readonly limit: number
  /** `createdAt` in UTC to the millisecond, inclusive. */
  readonly from: string | undefined
  /** `createdAt` in UTC to the millisecond, exclusive. */
  readonly to: string | undefined
  readonly cursor: string | undefined
  /** The page's number from 1; undefined = by cursor, or the first. */
  readonly page: number | undefined
  /** Whether the answer includes the plan. */
  readonly explain: boolean
}

/**
 * Reads the parameters of a list from a query string. A parameter without a value counts as absent, as an HTML form sends it; it leaves unknown
 * names to the caller.
 *
 * @throws {HttpProblem} `bad_request`, with each wrong parameter.
 */
export function parseListParameters(search: URLSearchParams): ListParameters {
  const read = parameterReader(search)
  const checked = (name: string, schema: typeof languageSchema | typeof timeSchema): string | undefined => {
    const value = read.one(name)
    if (value === undefined) return undefined
    const result = schema.safeParse(value)
    return result.success ? result.data : read.refuse(name, result.error.issues[0]?.message ?? 'is not valid')
  }
  const given = read
    .all('rating')
    .flatMap((value) => value.split(','))
    .filter((value) => value !== '')
  if (given.some((value) => !RATINGS.some((rating) => String(rating) === value)))
    read.refuse('rating', 'must be whole numbers from 1 to 5, repeated or separated by commas')
  const parameters: ListParameters = {
    language: checked('language', languageSchema),
    ratings: RATINGS.filter((rating) => given.includes(String(rating))).reverse(),
    order: read.choice('order', ['newest', 'oldest']) ?? 'newest',
    limit: read.whole('limit', MAX_LIMIT) ?? DEFAULT_LIMIT,
    from: checked('from', timeSchema),
    to: checked('to', timeSchema),
    cursor: read.one('cursor'),
    page: read.whole('page', MAX_PAGE),
    explain: read.choice('explain', ['true', 'false']) === 'true',
  }
  if (parameters.cursor !== undefined && parameters.page !== undefined)
    read.refuse('page', "can't be combined with cursor; give one of them")
  read.finish()
  return parameters
}

/** Turns the library's `unprocessable` into `bad_request`: a wrong value in a query makes a malformed request. */
export function refusedQuery(error: unknown): never {
  if (error instanceof LapidaryError && error.code === 'unprocessable') {
    throw new LapidaryError('bad_request', error.message, { details: error.details, cause: error })
  }
  throw error
}
