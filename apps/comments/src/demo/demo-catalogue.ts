import type { Catalogue, Product } from '../catalogue/catalogue.ts'
import { nameSearch } from '../catalogue/find-by-name.ts'
import { pictureOf } from '../web/product-pictures.ts'
import { demoProducts } from './named-products.ts'

/** Makes the catalogue of the demo data's products. */
export function demoCatalogue(): Catalogue {
  const products = new Map(
    [...demoProducts()].map(([id, product]): [string, Product] => [
      id,
      { id, name: product.name, picture: pictureOf(product) },
    ]),
  )
  return { get: (id) => products.get(id), find: nameSearch(products.values()) }
}
