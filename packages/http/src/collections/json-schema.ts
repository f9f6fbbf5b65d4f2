import type { AnyCollection } from 'lapidary'
import type { JsonSchema } from '../api-description.ts'

/** A JSON Schema of an object, of which the attributes are known. */
export interface ObjectSchema extends JsonSchema {
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required: readonly string[]
  readonly $defs?: Readonly<Record<string, JsonSchema>>
}

/** The schemas of a collection's items, as its schema library tells them. */
export interface ItemSchemas {
  /** What is sent. */
  readonly input: ObjectSchema
  /** What is answered. */
  readonly output: ObjectSchema
  /** Whether a schema library has told the attributes, so that another name is a mistake. */
  readonly isTold: boolean
}

/** A Standard Schema that may tell its JSON Schema (Standard JSON Schema): zod from 4.2, arktype, valibot by `toStandardJsonSchema`. */
interface Telling {
  readonly '~standard': {
    readonly jsonSchema?: {
      readonly [D in 'input' | 'output']?: (options: { readonly target: string }) => Record<string, unknown>
    }
  }
}

/** Returns the schemas of a collection's items: those that its schema library tells, else what the declaration says of its attributes. */
export function itemSchemas(collection: AnyCollection): ItemSchemas {
  const input = told(collection.schema, 'input')
  const output = told(collection.output ?? collection.schema, 'output')
  const declared = declaredSchema(collection)
  return { input: input ?? declared, output: output ?? declared, isTold: input !== undefined }
}

function told(schema: unknown, direction: 'input' | 'output'): ObjectSchema | undefined {
  try {
    const found = (schema as Telling)['~standard'].jsonSchema?.[direction]?.({ target: 'draft-2020-12' })
    if (found === undefined || typeof found.properties !== 'object' || found.properties === null) return undefined
    const { $schema: _, required = [], ...rest } = found
    return { ...rest, required } as unknown as ObjectSchema
  } catch {
    // The library has no JSON Schema for something in it, such as a function.
    return undefined
  }
}

/** Times are kept in UTC with milliseconds. */
const TIME: JsonSchema = {
  type: 'string',
  format: 'date-time',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
}
const TYPES = { time: 'string', string: 'string', decimal: 'string', number: 'number' } as const

/** Makes a schema of what a declaration says by itself. Items may have other attributes too. */
function declaredSchema({ id, scope, orders, facets, version, updatedAt, expires }: AnyCollection): ObjectSchema {
  const text: JsonSchema = { type: 'string' }
  const properties = new Map<string, JsonSchema>([
    [id, text],
    [scope.attribute, text],
  ])
  for (const { attribute, type, optional } of Object.values(orders)) {
    const own: JsonSchema = type === 'time' ? TIME : { type: TYPES[type] }
    properties.set(attribute, optional === true ? { anyOf: [own, { type: 'null' }] } : own)
  }
  for (const [name, { kind, values, type = 'string', optional, origin, ...facet }] of Object.entries(facets)) {
    if (origin !== undefined || properties.has(name)) continue
    const one: JsonSchema = values === undefined ? { type } : { enum: [...values] }
    const isList = kind === 'eachOf' && 'separator' in facet && facet.separator === undefined
    if (isList) properties.set(name, { type: 'array', items: one })
    else properties.set(name, optional && values === undefined ? { anyOf: [one, { type: 'null' }] } : one)
  }
  if (version !== undefined) properties.set(version, { type: 'integer' })
  for (const time of [updatedAt, expires])
    if (time !== undefined && !properties.has(time)) properties.set(time, { anyOf: [TIME, { type: 'null' }] })
  return { type: 'object', properties: Object.fromEntries(properties), required: [id, scope.attribute] }
}

/** Tells whether a schema takes null, as far as can be seen; true where nothing is known. */
export function takesNull(schema: JsonSchema | undefined): boolean {
  if (schema === undefined) return true
  const { type, anyOf, oneOf, enum: values, const: only, $ref } = schema
  if ($ref !== undefined) return true
  if (type !== undefined) return [type].flat().includes('null')
  const either = (anyOf ?? oneOf) as readonly JsonSchema[] | undefined
  if (either !== undefined) return either.some(takesNull)
  if (values !== undefined) return values.includes(null)
  return only === undefined || only === null
}

/** Returns a schema with some of its attributes; none of those left out is required. */
export function picked(
  schema: ObjectSchema,
  isIn: (name: string) => boolean,
  isNeeded: (name: string) => boolean = isIn,
): ObjectSchema {
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(schema.properties).filter(([name]) => isIn(name))),
    required: schema.required.filter((name) => isIn(name) && isNeeded(name)),
  }
}

/**
 * Returns a schema, under a name of a document's components, with the definitions inside of it as components of their own: a reference in an
 * OpenAPI document begins at the document.
 */
export function asComponents(name: string, { $defs = {}, ...schema }: JsonSchema): Record<string, JsonSchema> {
  const names = new Map(
    Object.keys($defs as object).map((each) => [`#/$defs/${each}`, `${name}${each.replace(/[^A-Za-z0-9._-]/g, '_')}`]),
  )
  const moved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(moved)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) =>
        key === '$ref' && typeof each === 'string'
          ? [key, each === '#' ? componentRef(name) : names.has(each) ? componentRef(names.get(each) as string) : each]
          : [key, moved(each)],
      ),
    )
  }
  const inner = Object.entries($defs as Record<string, JsonSchema>).map(([each, definition]) => [
    names.get(`#/$defs/${each}`) as string,
    moved(definition) as JsonSchema,
  ])
  return { [name]: moved(schema) as JsonSchema, ...Object.fromEntries(inner) }
}

/** Returns the reference to a component. */
export function componentRef(name: string): string {
  return `#/components/schemas/${name}`
}
