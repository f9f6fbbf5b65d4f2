import { DEFAULT_LIMIT, LapidaryError, type ListOrder, MAX_LIMIT } from 'lapidary'
import { MAX_PAGE, parameterReader } from 'lapidary-http/internal'
import { languageSchema, timeSchema } from './comment.ts'

export const RATINGS = [5, 4, 3, 2, 1] as const

export type Rating = (typeof RATINGS)[number]

/** The orders of a list, by the names that people know them by. */
export const ORDERS = ['newest', 'oldest', 'helpful', 'highest', 'lowest'] as const

export type CommentOrder = (typeof ORDERS)[number]

/** The orders that the collection declares, and the end of each at which a list begins. */
const ENDS = {
  newest: { order: 'newest' },
  oldest: { order: 'oldest' },
  helpful: { by: 'helpful', order: 'highest' },
  highest: { by: 'rating', order: 'highest' },
  lowest: { by: 'rating', order: 'lowest' },
} as const satisfies Readonly<
  Record<CommentOrder, { readonly by?: string; readonly order: ListOrder | 'highest' | 'lowest' }>
>

/** The parameters of a list; the same for the HTTP API and the web pages. */
export interface ListParameters {
  /** The language; undefined = any. */
  readonly language: string | undefined
  /** The ratings, ascending, without repeats; empty = any. */
  readonly ratings: readonly Rating[]
  /** Whether the writer bought the product; undefined = either. */
  readonly verified: boolean | undefined
  /** Whether the shop answered; undefined = either. */
  readonly answered: boolean | undefined
  readonly order: CommentOrder
  /** The order of an address that names none. */
  readonly defaultOrder: CommentOrder
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
export function parseListParameters(search: URLSearchParams, defaultOrder: CommentOrder = 'newest'): ListParameters {
  const read = parameterReader(search)
  const flag = (name: string): boolean | undefined => {
    const value = read.choice(name, ['true', 'false'])
    return value === undefined ? undefined : value === 'true'
  }
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
    verified: flag('verified'),
    answered: flag('answered'),
    order: read.choice('order', ORDERS) ?? defaultOrder,
    defaultOrder,
    limit: read.whole('limit', MAX_LIMIT) ?? DEFAULT_LIMIT,
    from: checked('from', timeSchema),
    to: checked('to', timeSchema),
    cursor: read.one('cursor'),
    page: read.whole('page', MAX_PAGE),
    explain: read.choice('explain', ['true', 'false']) === 'true',
  }
  if (parameters.cursor !== undefined && parameters.page !== undefined)
    read.refuse('page', "can't be combined with cursor; give one of them")
  const isRange = parameters.from !== undefined || parameters.to !== undefined
  if (isRange && !isByTime(parameters.order))
    read.refuse('order', 'is not by time, and from and to are times; use newest or oldest, or leave from and to out')
  read.finish()
  return parameters
}

function isByTime(order: CommentOrder): boolean {
  return order === 'newest' || order === 'oldest'
}

/** Returns the filter of a list, as the collection takes it. A comment of before the two flags were declared lacks them, which is no. */
export function filterOf({ language, ratings, verified, answered }: ListFilter): CommentFilter {
  return {
    ...(language === undefined ? {} : { language }),
    ...(ratings.length === 0 ? {} : { rating: ratings }),
    ...(verified === undefined ? {} : { verified: isOrIsNot(verified) }),
    ...(answered === undefined ? {} : { answered: isOrIsNot(answered) }),
  }
}

/** The part of the parameters that says which comments are in a list. */
export type ListFilter = Pick<ListParameters, 'language' | 'ratings' | 'verified' | 'answered'>

interface CommentFilter {
  readonly language?: string
  readonly rating?: readonly Rating[]
  readonly verified?: readonly (boolean | null)[]
  readonly answered?: readonly (boolean | null)[]
}

function isOrIsNot(value: boolean): readonly (boolean | null)[] {
  return value ? [true] : [false, null]
}

/** Returns the order of a list, as the collection takes it. */
export function orderOf(order: CommentOrder): (typeof ENDS)[CommentOrder] {
  return ENDS[order]
}

/** Turns the library's `unprocessable` into `bad_request`: a wrong value in a query makes a malformed request. */
export function refusedQuery(error: unknown): never {
  if (error instanceof LapidaryError && error.code === 'unprocessable') {
    throw new LapidaryError('bad_request', error.message, { details: error.details, cause: error })
  }
  throw error
}
