import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import { type AnyCollection, anyOf, defineCollection } from 'lapidary'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { asComponents, itemSchemas, takesNull } from './json-schema.ts'

const rest = {
  name: 'ORDER',
  id: 'id',
  order: 'placedAt',
  scope: { name: 'CUSTOMER', attribute: 'customer' },
  facets: { status: anyOf(['OPEN', 'PAID']) },
} as const

const LIBRARIES: readonly (readonly [name: string, collection: AnyCollection])[] = [
  [
    'zod',
    defineCollection({
      ...rest,
      schema: z.object({
        ...{ id: z.string(), customer: z.string(), placedAt: z.string(), note: z.string().optional() },
        status: z.enum(['OPEN', 'PAID']),
      }),
    }),
  ],
  [
    'valibot',
    defineCollection({
      ...rest,
      schema: toStandardJsonSchema(
        v.object({
          ...{ id: v.string(), customer: v.string(), placedAt: v.string(), note: v.optional(v.string()) },
          status: v.picklist(['OPEN', 'PAID']),
        }),
      ),
    }),
  ],
  [
    'arktype',
    defineCollection({
      ...rest,
      schema: type({
        id: 'string',
        customer: 'string',
        placedAt: 'string',
        status: '"OPEN"|"PAID"',
        'note?': 'string',
      }),
    }),
  ],
]

test.each(LIBRARIES)('the schemas of items are those that %s tells', (_, collection) => {
  const { input, output, isTold } = itemSchemas(collection)
  expect(isTold).toBe(true)
  for (const schema of [input, output]) {
    expect(Object.keys(schema.properties).toSorted()).toEqual(['customer', 'id', 'note', 'placedAt', 'status'])
    expect([...schema.required].toSorted()).toEqual(['customer', 'id', 'placedAt', 'status'])
    expect(schema.properties.status).toMatchObject({ enum: ['OPEN', 'PAID'] })
    expect(schema).not.toHaveProperty('$schema')
  }
})

test('without one the declaration tells what it knows', () => {
  const schema = { '~standard': { version: 1, vendor: 'own', validate: (value: unknown) => ({ value }) } } as const
  const { input, isTold } = itemSchemas(defineCollection({ ...rest, schema } as never) as AnyCollection)
  expect(isTold).toBe(false)
  expect(input).toMatchObject({
    required: ['id', 'customer'],
    properties: { status: { enum: ['OPEN', 'PAID'] }, placedAt: { format: 'date-time' } },
  })
  // A function in it has no JSON Schema.
  const unknown = z.object({ id: z.string(), customer: z.string(), placedAt: z.date(), status: z.string() })
  expect(itemSchemas(defineCollection({ ...rest, schema: unknown } as never) as AnyCollection).isTold).toBe(false)
})

test('definitions inside of a schema become components of their own', () => {
  interface Node {
    readonly name: string
    readonly children: readonly Node[]
  }
  const node: z.ZodType<Node> = z.lazy(() => z.object({ name: z.string(), children: z.array(node) }))
  const told = z.object({ id: z.string(), tree: node })['~standard'].jsonSchema.input({ target: 'draft-2020-12' })
  const components = asComponents('Tree', told)
  const text = JSON.stringify(components)
  expect(text).not.toContain('$defs')
  for (const [, name] of text.matchAll(/#\/components\/schemas\/([^"]+)/g))
    expect(components).toHaveProperty(name ?? '')
  expect(text).toContain('#/components/schemas/Tree')
})

test('a schema takes null where it says so', () => {
  expect(takesNull({ type: 'string' })).toBe(false)
  expect(takesNull({ type: ['string', 'null'] })).toBe(true)
  expect(takesNull({ anyOf: [{ type: 'string' }, { type: 'null' }] })).toBe(true)
  expect(takesNull({ enum: ['a'] })).toBe(false)
  expect(takesNull(undefined)).toBe(true)
})
