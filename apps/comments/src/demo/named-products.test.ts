import { expect, test } from 'vitest'
import { ASSETS } from '../web/assets.ts'
import { pictureOf } from '../web/product-pictures.ts'
import { POPULAR_PRODUCTS } from './fill-demo-data.ts'
import { demoProducts } from './named-products.ts'

test('every demo product has a name of its own, which tells its kind, and a picture that is there', () => {
  const products = [...demoProducts().values()]
  expect(new Set(products.map(({ name }) => name)).size).toBe(40)
  for (const product of products) {
    expect(product.name).toContain(product.kind.replace('-', ' '))
    expect(ASSETS.path(pictureOf(product))).toMatch(/\.svg$/)
  }
})

test('the most popular product is a pair of headphones, which its comments are about', () => {
  const [first = ''] = POPULAR_PRODUCTS
  expect(demoProducts().get(first)).toMatchObject({ kind: 'headphones' })
})
