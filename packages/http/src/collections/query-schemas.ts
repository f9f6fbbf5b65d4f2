import { DEFAULT_LIMIT, type Facet, MAX_LIMIT } from 'lapidary'
import * as z from 'zod'
import type { JsonSchema } from '../api-description.ts'
import { MAX_PAGE } from '../schemas.ts'
import { boardFacets, DEFAULT_BOARD, SPANS } from './answer-counts.ts'
import { type Asks, holds } from './facet-parameters.ts'
import { isAcross } from './question.ts'
import type { View } from './view.ts'

const EXPLODED = { param: { explode: true } }

/** Describes the parameters of a list. */
export function listQuery(view: View): z.ZodObject {
  const { order, orders } = view.collection
  const names = Object.keys(orders)
  const bound = { ...boundSchema(names.length === 1 ? order.type : undefined) }
  return z.object({
    ...filterShape(view, isAcross(view.collection)),
    ...(names.length > 1
      ? { by: optional({ type: 'string', enum: names }, `The order; \`${names[0]}\` when not given.`) }
      : {}),
    order: optional(
      { type: 'string', enum: ['newest', 'oldest', 'highest', 'lowest'], default: 'newest' },
      'The end that comes first; `highest` is another word for `newest`, `lowest` for `oldest`.',
    ),
    from: optional(bound, `The least ${boundName(names)}, inclusive.`),
    to: optional(bound, `The greatest ${boundName(names)}, exclusive.`),
    limit: optional({ type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT }, 'Items of a page.'),
    cursor: optional({ type: 'string' }, 'From the `cursors` of another page.'),
    page: optional(
      { type: 'integer', minimum: 1, maximum: MAX_PAGE },
      'The page by number, from 1; not with `cursor`.',
    ),
    counts: flag('true', '`false` leaves out totals and counts, which take a read.'),
    explain: flag('false', 'Adds the plan.'),
  })
}

/** Describes the parameters of counts. */
export function countsQuery(view: View): z.ZodObject {
  const { facets, sums, statistics, order } = view.collection
  const names = Object.keys(facets)
  return z.object({
    ...filterShape(view, statistics.across !== undefined || isAcross(view.collection)),
    ...(names.length > 0
      ? { by: several({ type: 'string', enum: names }, 'The facets whose values are counted; all when not given.') }
      : {}),
    ...(sums.length > 0
      ? { sums: several({ type: 'string', enum: [...sums] }, 'The attributes that are added up.') }
      : {}),
    every: optional({ type: 'string', enum: [...SPANS] }, 'Counts over time, part by part.'),
    from: optional(
      { type: 'string' },
      `With \`every\` the first day, as \`2026-01-31\`; else the least ${order.attribute}.`,
    ),
    to: optional(
      { type: 'string' },
      `With \`every\` the day after the last one; else the greatest ${order.attribute}, exclusive.`,
    ),
    zone: optional({ type: 'string' }, 'The zone of the days, which has to be the declared one.'),
  })
}

/** Describes the parameters of leaderboards. */
export function boardQuery(view: View): z.ZodObject {
  const facets = boardFacets(view).map((name) => {
    const schema = valueSchema(view.collection.facets[name] as Facet)
    return [name, optional(schema, 'One value; absent = of all items.')]
  })
  return z.object({
    ...Object.fromEntries(facets),
    limit: optional({ type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_BOARD }, 'Scopes of a page.'),
    cursor: optional({ type: 'string' }, 'From the `cursors` of another page.'),
  })
}

const SAID: Readonly<Record<Asks, string>> = {
  values: 'Any of these; repeated, or with commas (a value with a comma in double quotes). Absent = any.',
  from: 'The least value, inclusive.',
  to: 'The greatest value, exclusive.',
  startsWith: 'The beginning of the text.',
  hasEvery: 'All of these.',
  hasNone: 'None of these.',
  not: 'None of these.',
}

function filterShape(view: View, across: boolean): Record<string, z.ZodType> {
  const { collection, parameters } = view
  const shape: Record<string, z.ZodType> = {
    scope: several(
      { type: 'string', minLength: 1 },
      `The ${collection.scope.name} whose items are asked for; repeated for several.${across ? ' Absent = all.' : ''}`,
    ),
  }
  for (const [name, { facet, asks }] of parameters) {
    const declared = collection.facets[facet] as Facet
    if (asks === 'from' || asks === 'to') {
      const type = holds(declared, 'number') ? (holds(declared, 'string') ? ['string', 'number'] : 'number') : 'string'
      shape[name] = optional({ type }, SAID[asks])
    } else if (asks === 'startsWith') shape[name] = optional({ type: 'string' }, SAID[asks])
    else if (asks === 'values' && declared.kind === 'oneOf')
      shape[name] = optional(valueSchema(declared), 'One value; absent = any.')
    else shape[name] = several(valueSchema(declared), SAID[asks])
  }
  const text = 'A filter as JSON, beside the others: `{"OR": [{…}, {"NOT": {…}}]}`.'
  shape.where = optional({ type: 'string' }, text)
  return shape
}

/** In an address no value is `null`, a text; generators of clients know enumerations of one type. */
function valueSchema({ values, type = 'string', optional: isOptional }: Facet): JsonSchema {
  if (values === undefined) return isOptional && type !== 'string' ? { type: [type, 'string'] } : { type }
  const types = [...new Set(values.map((value) => (Number.isInteger(value) ? 'integer' : typeof value)))]
  if (types.length > 1) return { type: 'string', enum: values.map(String) }
  return types[0] === 'boolean' ? { type: 'boolean' } : { type: types[0] as string, enum: [...values] }
}

function boundSchema(type: string | undefined): JsonSchema {
  if (type === 'number') return { type: 'number' }
  return type === 'time' ? { type: 'string', format: 'date-time' } : { type: 'string' }
}

function boundName(orders: readonly string[]): string {
  return orders.length === 1 ? (orders[0] as string) : 'value of the order'
}

function flag(byDefault: string, description: string): z.ZodType {
  return optional({ type: 'string', enum: ['true', 'false'], default: byDefault }, description)
}

function optional(schema: JsonSchema, description: string): z.ZodType {
  return z
    .unknown()
    .meta({ ...schema, description })
    .optional()
}

function several(item: JsonSchema, description: string): z.ZodType {
  return z
    .array(z.unknown().meta({ ...item }))
    .meta({ description, ...EXPLODED })
    .optional()
}
