import * as z from 'zod'
import type { JsonSchema } from '../api-description.ts'
import { asComponents, componentRef, type ObjectSchema, picked, takesNull } from './json-schema.ts'
import type { CollectionNames } from './names.ts'
import { keptNames } from './sent-body.ts'
import { timeAttributes } from './utc-time.ts'
import type { View } from './view.ts'

/** The schemas of a collection's items in a description, for one caller. */
export interface Components {
  readonly schemas: Readonly<Record<string, JsonSchema>>
  /** Refer to them. */
  readonly item: z.ZodType
  readonly listed: z.ZodType
  readonly created: z.ZodType
  readonly whole: z.ZodType
  readonly changes: z.ZodType
}

/** Writes the schemas of items as they are answered and sent: without what the caller does not see, and may not set. */
export function componentsOf(view: View, { one }: CollectionNames): Components {
  const { collection, schemas, hidden, fixed } = view
  const { id, order, scope, attributes } = collection
  const isSeen = (name: string): boolean => !hidden.has(name)
  const isKept = (name: string): boolean => keptNames(view).includes(name)
  const isSet = (name: string): boolean => isSeen(name) && !fixed.has(name) && !isKept(name)
  const isMade = (name: string): boolean => name === id || (name === order.attribute && order.type === 'time')
  // Items that were stored before the schema was as it is may have more.
  const { additionalProperties: _, ...output } = schemas.output
  const answered = picked(output as ObjectSchema, isSeen)
  const inLists = (name: string): boolean => attributes?.[name]?.shownIn !== 'lookup'
  const { properties, ...input } = schemas.input
  const sent: ObjectSchema = {
    ...input,
    properties: anyTime(shorter(properties, [id, scope.attribute]), timeAttributes(collection)),
    ...(schemas.isTold ? { additionalProperties: false } : {}),
  }
  const all = {
    [one]: answered,
    [`Listed${one}`]: picked(answered, inLists),
    [`New${one}`]: picked(sent, isSet, (name) => !isMade(name)),
    [`Whole${one}`]: picked(
      sent,
      (name) => isSeen(name),
      (name) => isSet(name) && !isMade(name),
    ),
    [`${one}Changes`]: picked(
      { ...sent, properties: removable(sent, isMade) },
      (name) => isSet(name) && name !== id,
      () => false,
    ),
  }
  const reference = (name: string): z.ZodType => z.unknown().meta({ $ref: componentRef(name) })
  return {
    schemas: Object.assign({}, ...Object.entries(all).map(([name, schema]) => asComponents(name, schema))),
    item: reference(one),
    listed: reference(`Listed${one}`),
    created: reference(`New${one}`),
    whole: reference(`Whole${one}`),
    changes: reference(`${one}Changes`),
  }
}

/** The most characters of an id and of a scope: they become parts of keys. */
export const LONGEST_KEY = 512

/** Says of times that they may be written in any way of ISO 8601. */
function anyTime(
  properties: Readonly<Record<string, JsonSchema>>,
  times: readonly string[],
): Readonly<Record<string, JsonSchema>> {
  const time = { type: 'string', format: 'date-time', description: 'ISO 8601; kept in UTC to the millisecond.' }
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      if (!times.includes(name)) return [name, schema]
      return [name, takesNull(schema) ? { anyOf: [time, { type: 'null' }] } : time]
    }),
  )
}

/** Says of attributes that an item may lack that null takes them out, as in a JSON merge patch. */
function removable(
  { properties, required }: ObjectSchema,
  isMade: (name: string) => boolean,
): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const isNeeded = required.includes(name) || isMade(name) || takesNull(schema)
      return [name, isNeeded ? schema : { anyOf: [schema, { type: 'null' }] }]
    }),
  )
}

/** Says of ids and scopes what keys take. */
function shorter(
  properties: Readonly<Record<string, JsonSchema>>,
  keys: readonly string[],
): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) =>
      keys.includes(name) && schema.type === 'string'
        ? [name, { minLength: 1, maxLength: LONGEST_KEY, ...schema }]
        : [name, schema],
    ),
  )
}
