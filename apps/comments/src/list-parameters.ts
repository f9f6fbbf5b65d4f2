import { DEFAULT_LIMIT, type InputIssue, LapidaryError, type ListOrder, MAX_LIMIT } from 'lapidary'
import { MAX_PAGE } from 'lapidary-http/parts'
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
 * @throws {LapidaryError} `bad_request`, with each wrong parameter under `details.errors`.
 */
export function parseListParameters(search: URLSearchParams): ListParameters {
  const errors: InputIssue[] = []
  const refuse = (path: string, message: string): undefined => {
    errors.push({ path, message })
    return undefined
  }
  const one = (name: string): string | undefined => {
    const values = search.getAll(name).filter((value) => value !== '')
    if (values.length > 1) return refuse(name, 'must be given once')
    return values[0]
  }
  const checked = (name: string, schema: typeof languageSchema | typeof timeSchema): string | undefined => {
    const value = one(name)
    if (value === undefined) return undefined
    const result = schema.safeParse(value)
    return result.success ? result.data : refuse(name, result.error.issues[0]?.message ?? 'is not valid')
  }
  const whole = (name: string, most: number): number | undefined => {
    const value = one(name)
    if (value === undefined) return undefined
    const number = /^\d{1,15}$/.test(value) ? Number(value) : 0
    return number >= 1 && number <= most ? number : refuse(name, `must be a whole number from 1 to ${most}`)
  }

  const given = search
    .getAll('rating')
    .flatMap((value) => value.split(','))
    .filter((value) => value !== '')
  const ratings = RATINGS.filter((rating) => given.includes(String(rating))).reverse()
  if (given.some((value) => !RATINGS.some((rating) => String(rating) === value))) {
    refuse('rating', 'must be whole numbers from 1 to 5, repeated or separated by commas')
  }
  const order = one('order') ?? 'newest'
  if (order !== 'newest' && order !== 'oldest') refuse('order', 'must be newest or oldest')
  const explain = one('explain') ?? 'false'
  if (explain !== 'true' && explain !== 'false') refuse('explain', 'must be true or false')
  const parameters: ListParameters = {
    language: checked('language', languageSchema),
    ratings,
    order: order === 'oldest' ? 'oldest' : 'newest',
    limit: whole('limit', MAX_LIMIT) ?? DEFAULT_LIMIT,
    from: checked('from', timeSchema),
    to: checked('to', timeSchema),
    cursor: one('cursor'),
    page: whole('page', MAX_PAGE),
    explain: explain === 'true',
  }
  if (parameters.cursor !== undefined && parameters.page !== undefined) {
    refuse('page', "can't be combined with cursor; give one of them")
  }
  if (errors.length > 0) {
    const list = errors.map(({ path, message }) => `${path} ${message}`).join('; ')
    throw new LapidaryError('bad_request', `the list was refused: ${list}`, { details: { errors } })
  }
  return parameters
}

/** Turns the library's `unprocessable` into `bad_request`: a wrong value in a query makes a malformed request. */
export function refusedQuery(error: unknown): never {
  if (error instanceof LapidaryError && error.code === 'unprocessable') {
    throw new LapidaryError('bad_request', error.message, { details: error.details, cause: error })
  }
  throw error
}
