import { type CollectionClient, defineCollection, eachOf, hierarchy, type Lapidary } from 'lapidary'
import { type Comment, type comments, schemaOf } from './comments-fixture.ts'

/** Only compiled: conditions that the declaration does not allow must not compile. */
export function refusedConditions(client: CollectionClient<Comment, typeof comments.facets>): readonly unknown[] {
  return [
    client.list({
      scope: '42',
      where: { language: { from: 'd', to: 'f' }, OR: [{ rating: 5 }, { rating: { to: 2 } }] },
    }),
    client.list({ scope: '42', where: { NOT: { language: { startsWith: 'e' } } } }),
    client.list({
      scope: '42',
      where: { NOT: [{ language: 'en' }, { AND: { rating: [1, 2] } }], AND: [{ rating: 5 }] },
    }),
    client.page(2, { scope: '42', where: { OR: [{ language: 'en' }, { rating: 1 }] } }),
    client.count({ scope: '42', where: { NOT: { rating: 5 } } }),
    // @ts-expect-error a value outside anyOf, in a condition
    client.list({ scope: '42', where: { OR: [{ language: 'en' }, { rating: 6 }] } }),
    // @ts-expect-error a facet that does not exist, in a condition of a condition
    client.list({ scope: '42', where: { NOT: { AND: [{ colour: 'red' }] } } }),
    // @ts-expect-error OR of one filter that is not in a list
    client.list({ scope: '42', where: { OR: { language: 'en' } } }),
    // @ts-expect-error the beginning of numbers
    client.list({ scope: '42', where: { rating: { startsWith: '1' } } }),
    // @ts-expect-error each of some values of a facet of one
    client.list({ scope: '42', where: { rating: { hasEvery: [1, 2] } } }),
  ]
}

const products = defineCollection({
  name: 'PRODUCT',
  schema: schemaOf<{
    readonly id: string
    readonly shop: string
    readonly addedAt: string
    readonly labels?: readonly ('new' | 'used')[]
    readonly years: number[]
    readonly category: string
  }>(),
  id: 'id',
  order: 'addedAt',
  scope: { name: 'SHOP', attribute: 'shop' },
  facets: { labels: eachOf(), years: eachOf('number'), category: hierarchy() },
})

/** Only compiled: what is asked of several values. */
export function refusedHeldValues({ products: client }: Lapidary<{ products: typeof products }>): readonly unknown[] {
  return [
    client.list({ scope: 's', where: { labels: { hasEvery: ['new'], hasNone: [null] }, years: { has: 2025 } } }),
    // @ts-expect-error a label that is not declared
    client.list({ scope: 's', where: { labels: { hasNone: ['old'] } } }),
    // @ts-expect-error the beginning of paths, of which an item has several
    client.list({ scope: 's', where: { category: { startsWith: 'e' } } }),
  ]
}
