import { expect, test } from 'vitest'
import { anyOf, oneOf } from '../model/facet.ts'
import { attach } from './attach.ts'
import { fromDynamoDbToolbox } from './dynamodb-toolbox.ts'
import { fromElectroDb } from './electrodb.ts'

const text = { type: 'string' } as const
const entity = {
  schema: {
    model: { entity: 'order', version: '1' },
    attributes: {
      ...{ orderId: text, customerId: { ...text, field: 'c' }, placedAt: text, status: { type: ['NEW', 'PAID'] } },
      ...{
        total: { type: 'number' },
        gift: { type: 'boolean' },
        secret: { ...text, hidden: true },
        lines: { type: 'list' },
      },
    },
  },
}
const listed = {
  name: 'ORDER',
  id: 'orderId',
  scope: { name: 'CUSTOMER', attribute: 'customerId' },
  order: { attribute: 'placedAt', type: 'string' },
} as const
const invalid = (message: RegExp) =>
  expect.objectContaining({ code: 'declaration_invalid', message: expect.stringMatching(message) })

test.each([
  [
    'a facet that is no attribute',
    { facets: { colour: oneOf() } },
    /a facet is "colour", which the ElectroDB entity order does not have; it has orderId/,
  ],
  [
    'a value outside the enum',
    { facets: { status: anyOf(['NEW', 'GONE']) } },
    /the facet status has the value "GONE".*"NEW", "PAID"/,
  ],
  [
    'a facet of another type',
    { facets: { total: anyOf() } },
    /the facet total holds a string, and .* a number; declare it with that type/,
  ],
  ['a list', { facets: { lines: anyOf() } }, /the facet lines holds a string/],
  [
    'an id that is a number',
    { facets: {}, id: 'total' },
    /the id is total, which holds a number .* a string is needed/,
  ],
  [
    'an order of another type',
    { facets: {}, order: { attribute: 'total', type: 'time' } as const },
    /the order is total, which holds a number/,
  ],
])('%s is refused at declaration', (_, options, message) => {
  expect(() => fromElectroDb(entity, { ...listed, ...options } as Parameters<typeof fromElectroDb>[1])).toThrow(
    invalid(message),
  )
})

test('an order by numbers of 38 digits is one of numbers', () => {
  const order = { attribute: 'total', type: 'decimal' } as const
  const { collection } = fromElectroDb(entity, { ...listed, facets: {}, order, numbers: { total: 'decimal' } })
  expect(collection.order).toMatchObject(order)
  const text = { attribute: 'placedAt', type: 'decimal' } as const
  expect(() => fromElectroDb(entity, { ...listed, facets: {}, order: text })).toThrow(
    invalid(/the order is placedAt, which holds a string/),
  )
})

test('names in the table, the kind and what is hidden come from the entity', () => {
  const orders = fromElectroDb(entity, { ...listed, facets: { status: anyOf(['NEW', 'PAID']) } })
  const { collection } = orders
  expect(orders.kind).toEqual({ __edb_e__: 'order', __edb_v__: '1' })
  expect(collection.idOrder).toBe('raw')
  expect(collection.attributes?.customerId?.name).toBe('c')
  expect(collection.attributes).not.toHaveProperty('secret')
  const shop = attach({
    client: {} as never,
    tableName: 'shop',
    collections: { orders },
    cursorSecret: 'of the tests alone',
  })
  expect(
    shop.table.definition().indexes.map(({ name, keys }) => [name, keys.partition.map((key) => key.name)]),
  ).toEqual([
    ['all', ['__edb_e__', '__edb_v__', 'c']],
    ['byStatus', ['__edb_e__', '__edb_v__', 'c', 'status']],
  ])
})

test('items that do not say of which entity they are need a kind', () => {
  const attributes = {
    orderId: { type: 'string', props: {} },
    customerId: { type: 'string', props: {} },
    placedAt: { type: 'string', props: {} },
  }
  const nameless = { entityName: 'ORDER', entityAttribute: false, schema: { attributes } }
  expect(() => fromDynamoDbToolbox(nameless, { ...listed, facets: {} })).toThrow(
    invalid(/writes no entity attribute.*give kind/),
  )
  expect(fromDynamoDbToolbox(nameless, { ...listed, facets: {}, kind: { type: 'o' } }).kind).toEqual({ type: 'o' })
  expect(fromDynamoDbToolbox({ ...nameless, entityAttribute: true }, { ...listed, facets: {} }).kind).toEqual({
    _et: 'ORDER',
  })
})
