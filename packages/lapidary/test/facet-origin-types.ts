import { anyOf, type CollectionClient, defineCollection, eachOf, oneOf } from 'lapidary'
import { schemaOf } from './comments-fixture.ts'

type Nested = {
  readonly id: string
  readonly parent: string
  readonly at: string
  readonly address?: { readonly city: 'Oslo' | 'Rome'; readonly zip: number } | null
  readonly tags: readonly { readonly name: string }[]
}

const nested = {
  name: 'NESTED',
  schema: schemaOf<Nested>(),
  id: 'id',
  scope: { name: 'PARENT', attribute: 'parent' },
  order: 'at',
} as const

/** Only compiled: what the items do not have is no path, and functions take items. */
export function refusedOrigins(): readonly unknown[] {
  const things = defineCollection({
    ...nested,
    facets: {
      city: oneOf({ path: 'address.city', optional: true }),
      zip: anyOf('number', { path: 'address.zip', optional: true }),
      names: eachOf({ of: (item: Nested) => item.tags.map(({ name }) => name) }),
      kind: anyOf({ of: (item: Nested) => (item.address ? 'sent' : 'kept') }),
    },
  })
  const client = {} as CollectionClient<Nested, typeof things.facets>
  return [
    client.list({ scope: '1', where: { city: 'Rome', zip: { from: 1 }, names: ['a'], kind: ['sent', 'kept'] } }),
    client.list({ scope: '1', where: { city: null } }),
    // @ts-expect-error a value that is not at the path
    client.list({ scope: '1', where: { city: 'Paris' } }),
    // @ts-expect-error a value of another type
    client.list({ scope: '1', where: { zip: '1' } }),
    // @ts-expect-error a value that the function does not make
    client.list({ scope: '1', where: { kind: 'lost' } }),
    // @ts-expect-error a path that items do not have
    defineCollection({ ...nested, facets: { street: oneOf({ path: 'address.street' }) } }),
    // @ts-expect-error numbers, declared as texts
    defineCollection({ ...nested, facets: { zip: oneOf({ path: 'address.zip' }) } }),
    // @ts-expect-error the name of another attribute
    defineCollection({ ...nested, facets: { tags: oneOf({ path: 'address.city' }) } }),
    // @ts-expect-error a function of other items
    defineCollection({ ...nested, facets: { size: oneOf({ of: (item: { size: string }) => item.size }) } }),
    // @ts-expect-error a function that makes numbers, declared as texts
    defineCollection({ ...nested, facets: { size: oneOf({ of: (item: Nested) => item.tags.length }) } }),
  ]
}
