import {
  type AnyCollection,
  type AskedOfFacet,
  DEFAULT_LIMIT,
  type Facet,
  type InputIssue,
  LapidaryError,
  MAX_LIMIT,
  parseQuery,
  type Query,
  type QueryInput,
  type WhereInput,
} from 'lapidary'
import { jsonShape } from '../json-text.ts'
import { HttpProblem } from '../problem.ts'
import { MAX_PAGE } from '../schemas.ts'
import { type Access, mayRead, noSuchScope } from './access.ts'
import { type Asks, holds } from './facet-parameters.ts'
import { orderBound } from './order-bound.ts'
import { type ParameterReader, parameterReader } from './parameter-reader.ts'
import { EMPTY_TEXT } from './values-text.ts'
import type { View } from './view.ts'

/** What an address asks of a list. */
export interface Question {
  /** As the library takes it, of the scopes that the caller may read. */
  readonly query: QueryInput
  /** In canonical form. */
  readonly parsed: Query
  /** The scopes that were named, in order; none where none was. */
  readonly scopes: readonly string[]
  readonly cursor: string | undefined
  /** The page's number from 1; undefined = by cursor, or the first. */
  readonly page: number | undefined
  readonly counts: boolean
  readonly explain: boolean
  /** The parameters as they were sent. */
  readonly search: URLSearchParams
}

const MOST_LEVELS = 32

const YES_OR_NO = ['true', 'false'] as const

/**
 * Reads what an address asks of a list.
 *
 * @throws {HttpProblem} `bad_request`, with each wrong parameter; `not_found` for a scope that the caller may not read.
 */
export function readQuestion(view: View, access: Access, search: URLSearchParams): Question {
  const read = parameterReader(search)
  const by = read.one('by')
  const limit = read.whole('limit', MAX_LIMIT) ?? DEFAULT_LIMIT
  const order = read.choice('order', ['newest', 'oldest', 'highest', 'lowest'])
  const bound = (end: 'from' | 'to'): unknown => orderBound(read, end, orderOf(view.collection, by))
  const asked = {
    ...filterOf(view, access, read, isAcross(view.collection)),
    ...(by === undefined ? {} : { by }),
    ...(order === undefined ? {} : { order }),
    ...{ from: bound('from'), to: bound('to'), limit },
  }
  const cursor = read.one('cursor')
  const page = read.whole('page', MAX_PAGE)
  if (cursor !== undefined && page !== undefined) read.refuse('page', "can't be combined with cursor; give one of them")
  const counts = read.choice('counts', YES_OR_NO) !== 'false'
  const explain = read.choice('explain', YES_OR_NO) === 'true'
  const { query, scopes, parsed } = checked(view, asked, read)
  return { query, parsed, scopes, cursor, page, counts, explain, search }
}

/** What is asked of which items. */
export interface AskedFilter {
  readonly scope: readonly string[] | undefined
  readonly scopes: readonly string[]
  readonly where: WhereInput
  /** The parameters from which the parts of `AND` in the filter come. */
  readonly parts: readonly string[]
}

/** Checks a query against the collection that the caller sees, each error under the name of its parameter. */
export function checked(
  { collection }: View,
  { scopes, parts, ...asked }: AskedFilter & Omit<QueryInput, 'scope' | 'where'>,
  read: ParameterReader,
): { readonly query: QueryInput; readonly scopes: readonly string[]; readonly parsed: Query } {
  const query = asked as QueryInput
  try {
    const parsed = parseQuery(collection, query)
    read.finish()
    return { query, scopes, parsed }
  } catch (error) {
    if (!(error instanceof LapidaryError)) throw error
    const issues = (error.details.errors ?? []) as readonly InputIssue[]
    for (const { path, message } of issues) {
      const name = parameterOf(collection, path, parts)
      // A scope that is missing was refused before.
      if (name !== 'scope' || asked.scope !== undefined) read.refuse(name, message)
    }
    if (issues.length === 0) read.refuse('', error.message)
    read.finish()
    throw error
  }
}

function parameterOf({ scope }: AnyCollection, path: string, parts: readonly string[]): string {
  if (path === scope.attribute) return 'scope'
  const [, part, rest] = /^AND\[(\d+)\]\.?(.*)$/.exec(path) ?? []
  if (part === undefined) return path
  const name = parts[Number(part)] ?? 'where'
  return name === 'where' && rest !== '' ? `where.${rest}` : name
}

/**
 * Reads the scope and the filter of an address.
 *
 * @param across Whether all scopes may be asked for, by naming none.
 */
export function filterOf(view: View, access: Access, read: ParameterReader, across: boolean): AskedFilter {
  const scopes = [...new Set(read.all('scope'))].sort()
  const { scope } = view.collection
  const foreign = scopes.find((each) => !mayRead(access, each))
  if (foreign !== undefined) throw noSuchScope(scope.name, foreign)
  const where: Record<string, AskedOfFacet> = Object.create(null)
  const others: WhereInput[] = []
  const parts: string[] = []
  const also = (parameter: string, filter: WhereInput): void => {
    others.push(filter)
    parts.push(parameter)
  }
  for (const [name, { facet, asks }] of view.parameters) {
    const declared = view.collection.facets[facet] as Facet
    const asked = askedBy(read, name, asks, declared)
    if (asked === undefined) continue
    if (asks === 'not') also(name, { NOT: asked.map((value) => ({ [facet]: value })) })
    else if (asks === 'values') where[facet] = asked
    else if (asks === 'hasEvery' || asks === 'hasNone') also(name, { [facet]: { [asks]: asked } } as WhereInput)
    else also(name, { [facet]: { [asks]: asked[0] } } as WhereInput)
  }
  for (const text of read.all('where')) {
    const filter = conditionOf(text, read)
    if (filter !== undefined) also('where', filter)
  }
  if (others.length > 0) where.AND = others as never
  const readable = access.reads === undefined ? undefined : [...access.reads]
  if (scopes.length === 0 && readable?.length === 0)
    throw new HttpProblem('not_found', `there is no ${scope.name} that this caller may read`)
  if (scopes.length === 0 && readable === undefined && !across)
    read.refuse('scope', `is missing: name the ${scope.name} whose items are asked for`)
  return { scope: scopes.length > 0 ? scopes : readable, scopes, where, parts }
}

/** Tells whether an index lists the items of all scopes. */
export function isAcross({ indexes }: AnyCollection): boolean {
  return Object.values(indexes ?? {}).some(({ across }) => across !== undefined)
}

function askedBy(
  read: ParameterReader,
  name: string,
  asks: Asks,
  facet: Facet,
): readonly (string | number)[] | undefined {
  if (asks !== 'from' && asks !== 'to' && asks !== 'startsWith') {
    const values = read.list(name)
    return values.length === 0 ? undefined : values
  }
  const [text, ...more] = read.all(name).flatMap((value) => (value === EMPTY_TEXT ? '' : value))
  if (more.length > 0) return read.refuse(name, 'must be given once')
  if (text === undefined) return undefined
  if (asks === 'startsWith' || !holds(facet, 'number')) return [text]
  // One text for one number, as for values.
  if (String(Number(text)) === text) return [Number(text)]
  return holds(facet, 'string') ? [text] : read.refuse(name, 'must be a number, written as in JSON')
}

function conditionOf(text: string, read: ParameterReader): WhereInput | undefined {
  if (jsonShape(text).depth > MOST_LEVELS) return read.refuse('where', `is nested more than ${MOST_LEVELS} deep`)
  try {
    const filter: unknown = JSON.parse(text)
    if (typeof filter === 'object' && filter !== null && !Array.isArray(filter)) return filter as WhereInput
  } catch {
    // Said below.
  }
  return read.refuse('where', 'must be a filter as a JSON object, as {"NOT": {"status": "OPEN"}}')
}

function orderOf({ order, orders }: AnyCollection, by: string | undefined): AnyCollection['order'] {
  return (by !== undefined && Object.hasOwn(orders, by) ? orders[by] : undefined) ?? order
}
