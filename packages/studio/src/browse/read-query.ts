import {
  type AnyCollection,
  type Facet,
  type InputIssue,
  LapidaryError,
  type Order,
  type QueryInput,
  shown,
  type WhereInput,
} from 'lapidary'
import { facetParameter, type Parameters, PLAIN_PARAMETERS } from './address.ts'

/** A page as its address asks for it. */
export interface AskedPage {
  readonly query: QueryInput
  readonly page: number | undefined
  readonly cursor: string | undefined
  /** The most RCU that the page may read. */
  readonly maxCapacity: number
}

/** A page that would read more comes back short, and says so: a filter of a large scope that lets little through is not to be a surprise. */
const MOST_RCU = 256

/**
 * Reads the page that an address asks for. The library checks values against the declaration.
 *
 * @throws {LapidaryError} `unprocessable`, each parameter that can't be read with its reason in `details.errors`.
 */
export function readQuery(collection: AnyCollection, parameters: Parameters): AskedPage {
  const errors: InputIssue[] = []
  const refuse = (path: string, message: string): undefined => {
    errors.push({ path, message })
  }
  for (const name of new Set(parameters.keys())) {
    if (PLAIN_PARAMETERS.includes(name)) continue
    const facet = facetParameter(name)?.[1]
    if (facet === undefined) refuse(name, 'is no parameter of a list')
    else if (!Object.hasOwn(collection.facets, facet))
      refuse(name, `there is no facet ${shown(facet)}; the facets are ${Object.keys(collection.facets).join(', ')}`)
  }
  const one = (name: string): string | undefined => parameters.get(name) || undefined
  const whole = (name: string): number | undefined => {
    const text = one(name)
    if (text === undefined) return undefined
    return /^\d{1,15}$/.test(text) ? Number(text) : refuse(name, `must be a whole number, not ${shown(text)}`)
  }
  const by = one('by')
  const order = orderNamed(collection, by)
  const end = one('order') as QueryInput['order']
  const scopes = parameters.getAll('scope').filter((scope) => scope !== '')
  const [limit, page, cap] = [whole('limit'), whole('page'), whole('cap')]
  const from = orderValue(order, 'from', one('from'), refuse)
  const to = orderValue(order, 'to', one('to'), refuse)
  const query: QueryInput = {
    ...(scopes.length === 0 ? {} : { scope: scopes.length === 1 ? scopes[0] : scopes }),
    where: readWhere(collection, parameters, refuse),
    ...(by === undefined ? {} : { by }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(end === undefined ? {} : { order: end }),
    ...(limit === undefined ? {} : { limit }),
  }
  const cursor = one('cursor')
  if (page !== undefined && cursor !== undefined) refuse('cursor', 'and page each say where to begin; give one of them')
  if (errors.length > 0) {
    const list = errors.map(({ path, message }) => `${path}: ${message}`).join('; ')
    throw new LapidaryError('unprocessable', `the address was refused: ${list}`, { details: { errors } })
  }
  return { query, page, cursor, maxCapacity: cap ?? MOST_RCU }
}

type Refuse = (path: string, message: string) => undefined

function readWhere({ facets }: AnyCollection, parameters: Parameters, refuse: Refuse): WhereInput {
  const parts = Object.entries(facets).flatMap(([name, facet]): WhereInput[] => {
    const all = (asked: string): readonly string[] =>
      parameters.getAll(`${asked}.${name}`).filter((text) => text !== '')
    const [values, others, [starts]] = [all('is'), all('not'), all('starts')]
    const range = readRange(facet, name, all('from')[0], all('to')[0], refuse)
    return [
      ...(values.length === 0 ? [] : [{ [name]: values }]),
      ...(others.length === 0 ? [] : [{ NOT: { [name]: others } }]),
      ...(range === undefined ? [] : [{ [name]: range }]),
      ...(starts === undefined ? [] : [{ [name]: { startsWith: starts } }]),
    ]
  })
  const condition = readCondition(parameters.get('where') ?? '', refuse)
  return joined(condition === undefined ? parts : [...parts, condition])
}

/** Joins filters that all have to hold, in one object where no two of them ask of the same. */
function joined(parts: readonly WhereInput[]): WhereInput {
  const names = parts.flatMap((part) => (isRecord(part) ? Object.keys(part) : []))
  if (new Set(names).size === names.length && parts.every(isRecord)) return Object.assign({}, ...parts) as WhereInput
  return { AND: parts }
}

/** Tells whether a condition is an object, as it should be; the library says what is wrong with another. */
function isRecord(part: unknown): boolean {
  return typeof part === 'object' && part !== null && !Array.isArray(part)
}

/** Reads a condition as the library takes it; the library checks what is in it. */
function readCondition(text: string, refuse: Refuse): WhereInput | undefined {
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text) as WhereInput
  } catch (error) {
    return refuse('where', `is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Tells whether a facet holds numbers, so that its ranges are of numbers. */
export function holdsNumbers({ values, type }: Facet): boolean {
  return values === undefined ? type === 'number' : values.some((value) => typeof value === 'number')
}

function readRange(
  facet: Facet,
  name: string,
  from: string | undefined,
  to: string | undefined,
  refuse: Refuse,
): { readonly from?: number | string; readonly to?: number | string } | undefined {
  const end = (asked: 'from' | 'to', text: string | undefined): number | string | undefined =>
    text === undefined || !holdsNumbers(facet) ? text : numberIn(`${asked}.${name}`, text, refuse)
  const ends = { from: end('from', from), to: end('to', to) }
  if (ends.from === undefined && ends.to === undefined) return undefined
  return {
    ...(ends.from === undefined ? {} : { from: ends.from }),
    ...(ends.to === undefined ? {} : { to: ends.to }),
  } as { readonly from?: number; readonly to?: number }
}

function numberIn(path: string, text: string, refuse: Refuse): number | undefined {
  const value = Number(text)
  return text.trim() !== '' && Number.isFinite(value) ? value : refuse(path, `must be a number, not ${shown(text)}`)
}

/** Returns the order of a name; the library reports a wrong one. */
export function orderNamed({ order, orders }: AnyCollection, by: string | undefined): Order {
  return (by !== undefined && Object.hasOwn(orders, by) ? orders[by] : undefined) ?? order
}

/** Reads an order value. A time may be any ISO 8601 date; a decimal stays the text that it is, with all its digits. */
function orderValue({ type }: Order, path: string, text: string | undefined, refuse: Refuse): unknown {
  if (text === undefined || type === 'string' || type === 'decimal') return text
  if (type === 'number') return numberIn(path, text, refuse)
  const time = /^\d{4}-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time)
    ? refuse(path, `must be a time like 2020-11-09T12:00:00.123Z, not ${shown(text)}`)
    : new Date(time).toISOString()
}
