import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { item, number, string, Table, Entity as ToolboxEntity } from 'dynamodb-toolbox'
import { DeleteItemCommand } from 'dynamodb-toolbox/entity/actions/delete'
import { PutItemCommand } from 'dynamodb-toolbox/entity/actions/put'
import { Entity } from 'electrodb'
import { anyOf } from 'lapidary'
import { fromDynamoDbToolbox, fromElectroDb } from 'lapidary/attach'

/** An order as both libraries take it. */
export interface Order {
  readonly orderId: string
  readonly customerId: string
  readonly status: (typeof STATUSES)[number]
  readonly channel?: string
  readonly stars: number
  readonly placedAt: number
}

export const STATUSES = ['NEW', 'PAID', 'SENT'] as const

/** The declaration of the lists, the same for both libraries. */
const listed = {
  schema: orderSchema(),
  name: 'ORDER',
  id: 'orderId',
  scope: { name: 'CUSTOMER', attribute: 'customerId' },
  order: { attribute: 'placedAt', type: 'number' },
  facets: { status: anyOf(STATUSES), channel: anyOf('string', { optional: true }), stars: anyOf('number') },
  indexes: {
    all: {},
    byStatus: { partition: ['status'] },
    byChannel: { partition: ['channel'] },
    byStatusAndStars: { sort: ['status', 'stars'] },
  },
} as const

/** A program that writes orders, and returns beside them, which have the same attributes and are in no list of orders. */
export interface Writer {
  readonly attachment: ReturnType<typeof fromElectroDb<typeof listed.facets, 'number', Order>>
  put(kind: 'order' | 'return', order: Order): Promise<unknown>
  delete(order: Order): Promise<unknown>
}

/** One attribute has a short name in the table, and one the name of the library's own expiry. */
export function electroWriter(client: DynamoDBClient, table: string): Writer {
  const entity = (name: string) =>
    new Entity(
      {
        model: { entity: name, version: '1', service: 'shop' },
        attributes: {
          orderId: { type: 'string', required: true },
          customerId: { type: 'string', required: true },
          status: { type: STATUSES, field: 'st', required: true },
          channel: { type: 'string' },
          stars: { type: 'number', required: true },
          placedAt: { type: 'number', required: true },
          ttl: { type: 'number' },
        },
        indexes: {
          primary: {
            pk: { field: 'pk', composite: ['customerId'], casing: 'none' },
            sk: { field: 'sk', composite: ['orderId'], casing: 'none' },
          },
        },
      } as const,
      { client, table },
    )
  const [orders, returns] = [entity('order'), entity('return')]
  return {
    attachment: fromElectroDb(orders, listed),
    put: (kind, order) => (kind === 'order' ? orders : returns).put(order).go(),
    delete: ({ customerId, orderId }) => orders.delete({ customerId, orderId }).go(),
  }
}

export function toolboxWriter(client: DynamoDBClient, name: string): Writer {
  const table = new Table({
    documentClient: DynamoDBDocumentClient.from(client),
    name,
    partitionKey: { name: 'pk', type: 'string' },
    sortKey: { name: 'sk', type: 'string' },
  })
  const schema = item({
    orderId: string().key(),
    customerId: string().key().savedAs('c'),
    status: string().enum(...STATUSES),
    channel: string().optional(),
    stars: number(),
    placedAt: number(),
  })
  const entity = (kind: string) =>
    new ToolboxEntity({
      name: kind,
      table,
      schema,
      timestamps: false,
      computeKey: ({ customerId, orderId }) => ({ pk: `C#${customerId}`, sk: `${kind}#${orderId}` }),
    })
  const [orders, returns] = [entity('ORDER'), entity('RETURN')]
  return {
    attachment: fromDynamoDbToolbox(orders, listed),
    put: (kind, order) =>
      (kind === 'order' ? orders : returns)
        .build(PutItemCommand)
        .item({ ...order })
        .send(),
    delete: ({ customerId, orderId }) => orders.build(DeleteItemCommand).key({ customerId, orderId }).send(),
  }
}

/** The type of an order, and no more. */
function orderSchema(): StandardSchemaV1<unknown, Order> {
  return { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as Order }) } }
}
