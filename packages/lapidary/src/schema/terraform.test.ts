import { expect, test } from 'vitest'
import { z } from 'zod'
import { indexes } from '../layouts/indexes/indexes.ts'
import { nativeKeys } from '../layouts/native-keys/native-keys.ts'
import { defineCollection } from '../model/collection.ts'
import { anyOf } from '../model/facet.ts'
import { defineTable } from './table-definition.ts'
import { terraformConfiguration } from './terraform.ts'

const orders = defineCollection({
  name: 'ORDER',
  schema: z.object({ id: z.string(), customer: z.string(), at: z.string(), status: z.enum(['OPEN', 'PAID']) }),
  id: 'id',
  scope: { name: 'CUSTOMER', attribute: 'customer' },
  order: 'at',
  facets: { status: anyOf(['OPEN', 'PAID']) },
})

test('has the table, its indexes with each key attribute once, its alarms, and a policy for each role', () => {
  const definition = defineTable('orders', [indexes().of(orders).indexes])
  const { resource } = terraformConfiguration(definition, { collections: { orders } })
  const { aws_dynamodb_table: tables, aws_iam_policy: policies, aws_cloudwatch_metric_alarm: alarms } = resource
  const table = tables?.lapidary as { readonly attribute: readonly { readonly name: string }[] }
  expect(table).toMatchObject({
    ...{ name: 'orders', hash_key: 'PK', range_key: 'SK', deletion_protection_enabled: true },
    ...{ stream_enabled: true, stream_view_type: 'NEW_AND_OLD_IMAGES', lifecycle: [{ prevent_destroy: true }] },
    global_secondary_index: definition.indexes.map(({ name }) => expect.objectContaining({ name })),
  })
  const names = table.attribute.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(Object.keys(policies ?? {})).toEqual(['reader', 'application', 'projections', 'upkeep', 'maintenance'])
  const reader = policies?.reader as { readonly policy: string } | undefined
  const arn = `\${aws_dynamodb_table.lapidary.arn}`
  expect(JSON.parse(reader?.policy ?? '').Statement).toEqual([
    {
      ...{ Effect: 'Allow', Action: ['dynamodb:Query', 'dynamodb:GetItem', 'dynamodb:BatchGetItem'] },
      Resource: [arn, ...definition.indexes.map(({ name }) => `${arn}/index/${name}`)],
    },
  ])
  expect(Object.keys(alarms ?? {})).toContain('table_is_throttled')
})

test('refuses an index whose keys have several attributes, by its name', () => {
  const raw = defineCollection({ ...orders, idOrder: 'raw' } as never)
  const definition = defineTable('orders', [nativeKeys().of(raw).indexes])
  expect(() => terraformConfiguration(definition)).toThrow(/keys of index \w+ have several attributes/)
})
