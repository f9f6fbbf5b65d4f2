import { createLapidary, tableFor } from 'lapidary'
import { describe, expect, test } from 'vitest'
import { comments, schemaOf } from '../../test/comments-fixture.ts'
import { type IndexDefinition, textIndex } from '../layouts/index-definition.ts'
import { defineCollection, type Item } from '../model/collection.ts'
import { createTableInput, defineTable } from './table-definition.ts'

const index = (name: string, include?: readonly string[], key = 'k'): IndexDefinition =>
  textIndex({ name, partitionKey: key, sortKey: 's', include })
const invalid = (message: RegExp) =>
  expect.objectContaining({ code: 'declaration_invalid', message: expect.stringMatching(message) })

test('a table takes 20 indexes and no more', () => {
  const indexes = Array.from({ length: 20 }, (_, i) => index(`index${i}`))
  expect(defineTable('things', [indexes]).indexes).toHaveLength(20)
  expect(() => defineTable('things', [indexes, [index('onemore')]])).toThrow(invalid(/21 indexes/))
})

test('indexes project 100 attributes in all and no more', () => {
  const names = Array.from({ length: 50 }, (_, i) => `x${i}`)
  expect(defineTable('things', [[index('one', names), index('two', names)]]).indexes).toHaveLength(2)
  expect(() => defineTable('things', [[index('one', names), index('two', [...names, 'y'])]])).toThrow(
    invalid(/101 attributes/),
  )
})

describe('collections that share an index', () => {
  test('project what either shows', () => {
    const { indexes } = defineTable('things', [[index('all', ['a', 'b'])], [index('all', ['b', 'c'])]])
    expect(indexes).toEqual([index('all', ['a', 'b', 'c'])])
  })

  test('project everything when one does', () => {
    expect(defineTable('things', [[index('all', ['a'])], [index('all')]]).indexes[0]?.include).toBeUndefined()
  })

  test('have to mean the same keys', () => {
    expect(() => defineTable('things', [[index('all')], [index('all', undefined, 'other')]])).toThrow(
      invalid(/different keys/),
    )
  })
})

test('collections whose keys would meet are refused', () => {
  const other = (name: string, scope: string) =>
    defineCollection({
      name,
      schema: schemaOf<Item>(),
      id: 'id',
      scope: { name: scope, attribute: 'p' },
      order: 'at',
      facets: {},
    })
  const connect = (name: string, scope: string) => () =>
    createLapidary({
      client: {} as never,
      tableName: 'things',
      collections: { comments, other: other(name, scope) },
      cursorSecret: 'a secret of the tests',
    })
  expect(connect('COMMENT', 'SHOP')).toThrow(invalid(/two collections are named COMMENT/))
  // Keys hold the collection's name, so a parent may have several kinds of children.
  expect(connect('REVIEW', 'PRODUCT')).not.toThrow()
})

test('the input of CreateTable declares each key attribute once', () => {
  const input = createTableInput(tableFor({ tableName: 'comments', collections: { comments } }))
  const names = input.AttributeDefinitions?.map(({ AttributeName }) => AttributeName)
  expect(names).toEqual(['PK', 'SK', 'k', 's', 'k.language', 'k.rating', 'k.language.rating'])
  expect(input).toMatchObject({
    BillingMode: 'PAY_PER_REQUEST',
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  })
})
