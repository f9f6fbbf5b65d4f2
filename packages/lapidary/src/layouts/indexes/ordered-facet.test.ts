import { expect, test } from 'vitest'
import { schemaOf } from '../../../test/comments-fixture.ts'
import { defineCollection } from '../../model/collection.ts'
import { anyOf } from '../../model/facet.ts'
import type { OrderType } from '../../model/order.ts'
import { orderedFacet } from './ordered-facet.ts'

const TIMES = ['2026-02-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'] as const

test.each<[OrderType, readonly (string | number)[], readonly (string | number)[] | undefined]>([
  ['number', [10, 2, -0], [0, 2, 10]],
  ['number', ['10', '2'], undefined],
  ['string', ['b', 'a'], ['a', 'b']],
  ['string', [1, 2], undefined],
  ['string', ['a', 'b'.repeat(300)], undefined],
  ['time', TIMES, TIMES.toReversed()],
  ['time', [TIMES[0], 'soon'], undefined],
])(
  'in an order of a %s, the values %j are ranges, or are not, where an item can have none of them',
  (type, values, sorted) => {
    const collection = defineCollection({
      ...{ name: 'TASK', schema: schemaOf<{ id: string; of: string; at: string; due: never }>(), id: 'id' },
      ...{ scope: { name: 'OF', attribute: 'of' }, order: 'at', orders: { due: { attribute: 'due', type } } },
      facets: { due: anyOf(values as never[]) },
    })
    const expected = sorted === undefined ? undefined : { facet: 'due', values: sorted }
    expect(orderedFacet(collection, { attribute: 'due', type })).toEqual(expected)
  },
)
