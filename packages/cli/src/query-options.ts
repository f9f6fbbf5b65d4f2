import { type Command, Option } from 'commander'
import {
  type AnyCollection,
  type CollectionClient,
  type Facet,
  LapidaryError,
  MAX_LIMIT,
  type NumberRange,
  type Order,
  type Page,
  parseQuery,
  type QueryInput,
  shown,
  type WhereInput,
} from 'lapidary'
import { type CommonOptions, UsageError, wholeNumber } from './options.ts'

/** The options of commands that ask a list. */
export interface QueryFlags extends CommonOptions {
  readonly scope: readonly string[]
  readonly where: readonly string[]
  readonly from?: string
  readonly to?: string
  readonly by?: string
  readonly order?: QueryInput['order']
}

/** The options of commands that read a page. */
export interface PageFlags extends QueryFlags {
  readonly limit?: number
  readonly cursor?: string
  readonly page?: number
}

/** Adds the options of a query: `--scope 42 --where language=en --where rating=4,5 --by amount --from … --to … --order …`. */
export function addQueryOptions(command: Command): Command {
  return addSelectionOptions(command).addOption(
    new Option('--order <order>', 'newest or oldest first').choices(['newest', 'oldest', 'highest', 'lowest']),
  )
}

/** Adds the options that choose items, in whatever order they come. */
export function addSelectionOptions(command: Command): Command {
  return addScopeOptions(command)
    .option('--by <order>', 'the order by its name; the default one when not given')
    .option('--from <value>', 'lowest order value, inclusive, as 2020-11-01')
    .option('--to <value>', 'highest order value, exclusive')
}

/** Adds the options that choose items by scope and facets. */
export function addScopeOptions(command: Command): Command {
  return command
    .option(
      '--scope <id>',
      'the scope, as 42; can be repeated, and left out where an index is across all',
      collected,
      [],
    )
    .option(
      '--where <facet=value>',
      'a filter, as rating=4,5 or price=20..80; a value with a comma, or one that reads as a range, in double quotes; any filter as JSON, as {"NOT": {"language": "de"}}; can be repeated',
      collected,
      [],
    )
}

/** Adds the options that choose a page of the list. */
export function addPageOptions(command: Command): Command {
  return addQueryOptions(command)
    .option('--limit <n>', 'items of a page', wholeNumber(1, MAX_LIMIT))
    .option('--cursor <cursor>', 'the cursor of another page')
    .option('--page <n>', 'the number of the page', wholeNumber(1))
}

/**
 * Reads a query as it was typed. The library reads `rating=4` as the number, and `price=20..80` is a range where the facet holds numbers.
 *
 * @throws {UsageError} for a facet that does not exist, or a value that it can't have.
 */
export function queryInput(collection: AnyCollection, flags: QueryFlags): QueryInput {
  const { by, from, to, order } = flags
  const [scope, ...others] = flags.scope
  const asked = queryOrder(collection, by)
  const query = {
    ...(scope === undefined ? {} : { scope: others.length === 0 ? scope : [...flags.scope] }),
    where: selection(collection, flags.where),
    ...(by === undefined ? {} : { by }),
    ...(from === undefined ? {} : { from: typedOrderValue(asked, '--from', from) }),
    ...(to === undefined ? {} : { to: typedOrderValue(asked, '--to', to) }),
    ...(order === undefined ? {} : { order }),
  }
  try {
    parseQuery(collection, query)
  } catch (error) {
    throw error instanceof LapidaryError ? new UsageError(error.message) : error
  }
  return query
}

/**
 * Reads the page that the flags choose: by number, by cursor, or the first.
 *
 * @throws {UsageError} for both a number and a cursor.
 */
export function readChosenPage(
  items: CollectionClient<unknown>,
  query: QueryInput,
  { limit, cursor, page }: PageFlags,
  signal: AbortSignal,
): Promise<Page<unknown>> {
  if (page !== undefined && cursor !== undefined) {
    throw new UsageError('--page and --cursor each say where to begin; give one of them')
  }
  const asked = { ...(query as { scope: string | string[] }), signal, ...(limit === undefined ? {} : { limit }) }
  return page === undefined ? items.list({ ...asked, cursor }) : items.page(page, asked)
}

function collected(value: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, value]
}

function selection(collection: AnyCollection, terms: readonly string[]): WhereInput {
  const chosen: Record<string, readonly string[] | NumberRange> = Object.create(null)
  const filters: WhereInput[] = []
  for (const term of terms) {
    if (term.startsWith('{')) {
      filters.push(typedFilter(term))
      continue
    }
    const at = term.indexOf('=')
    if (at < 1) throw new UsageError(`--where ${shown(term)} is not facet=value, as in --where language=en`)
    const [name, text] = [term.slice(0, at), term.slice(at + 1)]
    if (text === '') throw new UsageError(`${name} has no value; give one, as in --where ${name}=…`)
    const facet = Object.hasOwn(collection.facets, name) ? collection.facets[name] : undefined
    const earlier = chosen[name] ?? []
    const range = facet && typedRange(facet, text)
    if (!Array.isArray(earlier) || (range !== undefined && earlier.length > 0))
      throw new UsageError(`${name} is asked for more than once, with a range; give one --where for it`)
    const isSet = facet !== undefined && facet.kind !== 'oneOf'
    const values = splitValues(text)
    chosen[name] = range ?? [...new Set([...earlier, ...(isSet || values.length === 1 ? values : [text])])]
  }
  return filters.length === 0 ? chosen : { ...chosen, AND: filters }
}

/** Reads a filter that is written as the library takes it; the library checks what is in it. */
function typedFilter(text: string): WhereInput {
  try {
    return JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(`--where ${shown(text)} is not JSON (${reason}); as in --where '{"NOT": {"language": "de"}}'`)
  }
}

/** Splits values at commas. A value in quotes may hold commas, and doubled quotes, as in CSV: `"red, white",blue`. */
function splitValues(text: string): readonly string[] {
  const values = `,${text}`.matchAll(/,(?:"((?:[^"]|"")*)"(?=,|$)|([^,]*))/g)
  return [...values].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '')
}

/** A number as people write it. A number may not begin with its point, which could be the third point of a range. */
const DECIMAL = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i

/** Reads a range, `20..80`, `20..`, `..80`; undefined for a value: of a facet without numbers, a declared one, or one in quotes. */
function typedRange({ values, type }: Facet, text: string): NumberRange | undefined {
  if (text.startsWith('"') || values?.includes(text)) return undefined
  const [from, to, ...more] = text.split('..')
  const hasNumbers = values === undefined ? type === 'number' : values.some((value) => typeof value === 'number')
  if (!hasNumbers || from === undefined || to === undefined || more.length > 0) return undefined
  const wrong = new UsageError(`--where takes a range of numbers, as 20..80, 20.. or ..80, not ${shown(text)}`)
  if (from === '' && to === '') throw wrong
  const end = (given: string): number => {
    const value = DECIMAL.test(given) ? Number(given) : Number.NaN
    if (!Number.isFinite(value)) throw wrong
    return value
  }
  return { ...(from === '' ? {} : { from: end(from) }), ...(to === '' ? {} : { to: end(to) }) }
}

/** Returns the order that a query names; the library reports a wrong name. */
export function queryOrder({ order, orders }: AnyCollection, by: string | undefined): Order {
  return (by !== undefined && Object.hasOwn(orders, by) ? orders[by] : undefined) ?? order
}

/** Reads an order value. A time may be any ISO 8601 date; the library takes it to the millisecond. */
function typedOrderValue({ type }: Order, flag: string, text: string): unknown {
  // A JavaScript number would lose digits of a decimal.
  if (type === 'string' || type === 'decimal') return text
  if (type === 'number') {
    const value = Number(text)
    if (text.trim() === '' || !Number.isFinite(value))
      throw new UsageError(`${flag} must be a number, not ${shown(text)}`)
    return value
  }
  const time = /^\d{4}-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time))
    throw new UsageError(`${flag} must be a time like 2020-11-09T12:00:00.123Z, not ${shown(text)}`)
  return new Date(time).toISOString()
}
