import { anyOf, eachOf, oneOf } from 'lapidary'
import { expect, test } from 'vitest'
import { cellOf, idIn, textsOf, withId } from './cell-columns.ts'
import { columnCell, columnFacets } from './column-cells.ts'

const collection = {
  facets: { tags: eachOf('string'), city: oneOf(), price: anyOf('number', { optional: true }) },
  sums: ['weight', 'price'],
}

test('each facet and each sum has one column, in the order of their names', () => {
  const columns = columnFacets(collection)
  expect(columns.map(({ name }) => name)).toEqual(['city', 'price', 'tags', 'weight'])
  expect(columns[1]?.facet).toBe(collection.facets.price)
  expect(columns[3]?.facet).toMatchObject({ kind: 'oneOf', optional: true })
})

test('a cell has the texts of an item in the order of columns, amounts with all their digits', () => {
  const columns = columnFacets(collection)
  const item = { city: 'a#b/c', tags: ['y', 'x'], price: 2.5, weight: '100000000000000000000.10' }
  expect(textsOf(columnCell(collection, columns, item))).toEqual([
    'a%23b%2Fc',
    '2%2E5',
    'x/y',
    '100000000000000000000%2E1',
  ])
  const none = columnCell(collection, columns, { city: 'a', tags: [] })
  expect(textsOf(none).length).toBe(4)
  expect(textsOf(none)[0]).toBe('a')
})

test('an id that a place can not tell goes with a cell, and its texts are the same', () => {
  const cell = withId('en#5', 'long-id')
  expect([idIn(cell), idIn('en#5'), withId('en#5', undefined)]).toEqual(['long-id', undefined, 'en#5'])
  expect(textsOf(cell)).toEqual(['en', '5'])
  const column = (texts: readonly string[]) => ({ textOf: (row: number) => texts[row] }) as never
  expect(cellOf([column(['en', 'de']), column(['5', '1'])], 1)).toBe('de#1')
})
