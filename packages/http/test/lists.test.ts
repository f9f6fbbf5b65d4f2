import fc from 'fast-check'
import type { AnyCollection, QueryInput, WhereInput } from 'lapidary'
import { createOracle, type Oracle } from 'lapidary-testing'
import { describe, expect, test } from 'vitest'
import { plainJson } from '../src/collections/item-json.ts'
import { joinValues } from '../src/collections/values-text.ts'
import { auditOf, COLLECTIONS, COUNTRIES, ordersOf, STATUSES, ticketsOf } from './collections.ts'
import { useServedApi } from './served-api.ts'

const ITEMS = 60
const RUNS = Number(process.env.FC_RUNS ?? 60)
const api = useServedApi({ items: ITEMS, columns: true })
const { ask } = api

/** What is asked, and the address that asks it. */
interface Asked {
  readonly query: QueryInput
  readonly search: readonly (readonly [name: string, value: string])[]
}

/** One part of a filter with its parameters. */
type Part = readonly [where: WhereInput, search: Asked['search']]

const values = (facet: string, all: readonly (string | number | boolean | null)[]): fc.Arbitrary<Part> =>
  fc
    .subarray([...all], { minLength: 1 })
    .chain((some) =>
      fc.constantFrom<Part>(
        [{ [facet]: some }, [[facet, joinValues(some)]]],
        [{ [facet]: some }, some.map((value) => [facet, joinValues([value])] as const)],
      ),
    )
const one = (facet: string, all: readonly (string | number | boolean | null)[]): fc.Arbitrary<Part> =>
  fc.constantFrom(...all).map((value) => [{ [facet]: value }, [[facet, joinValues([value])]]] as Part)
const none = (facet: string, all: readonly (string | number | boolean | null)[]): fc.Arbitrary<Part> =>
  fc
    .subarray([...all], { minLength: 1 })
    .map((some) => [{ NOT: some.map((value) => ({ [facet]: value })) }, [[`not.${facet}`, joinValues(some)]]] as Part)
const range = (facet: string, ends: readonly number[]): fc.Arbitrary<Part> =>
  fc.tuple(fc.constantFrom(...ends), fc.constantFrom(...ends)).map(
    ([from, to]) =>
      [
        { [facet]: { from, to } },
        [
          [`${facet}.from`, String(from)],
          [`${facet}.to`, String(to)],
        ],
      ] as Part,
  )
const told = (where: WhereInput): fc.Arbitrary<Part> => fc.constant([where, [['where', JSON.stringify(where)]]])

const held = (asks: 'hasEvery' | 'hasNone', facet: string, all: readonly string[]): fc.Arbitrary<Part> =>
  fc
    .subarray([...all], { minLength: 1 })
    .map((some) => [{ [facet]: { [asks]: some } }, [[`${facet}.${asks}`, joinValues(some)]]] as Part)

const times = [0, 4, 11].map((i) => new Date(Date.UTC(2026, 0, 1) + i * 7_123_456).toISOString())
const TAGS = ['slow', 'vip', 'a,b', 'area 5'] as const

interface Case {
  readonly name: keyof typeof COLLECTIONS
  readonly items: readonly Record<string, unknown>[]
  readonly scopes: readonly string[]
  readonly parts: readonly fc.Arbitrary<Part>[]
  readonly ranges: readonly { readonly by: string | undefined; readonly ends: readonly (string | number)[] }[]
}

const CASES: readonly Case[] = [
  {
    ...{ name: 'orders', items: ordersOf(ITEMS), scopes: ['c1', 'c/2', 'none'] },
    parts: [
      values('status', STATUSES),
      one('country', COUNTRIES),
      none('status', STATUSES),
      none('country', COUNTRIES),
      range('price', [10, 40, 70.5, 100]),
      told({ OR: [{ status: 'OPEN' }, { NOT: { country: 'DE' } }] }),
    ],
    ranges: [
      { by: undefined, ends: times },
      { by: 'amount', ends: [20, 50.5, 90] },
    ],
  },
  {
    ...{ name: 'tickets', items: ticketsOf(ITEMS), scopes: ['small', 'large'] },
    parts: [
      values('priority', ['high', 'low', 'normal']),
      values('tags', TAGS),
      held('hasEvery', 'tags', TAGS),
      held('hasNone', 'tags', TAGS),
      one('assignee', ['person 1', null]),
      values('area', ['it', 'it/mail']),
      one('city', ['Berlin', 'Wien']),
      fc
        .constantFrom('Be', 'Ber', 'x')
        .map((text) => [{ city: { startsWith: text } }, [['city.startsWith', text]]] as Part),
      one('urgent', [true, false]),
    ],
    ranges: [{ by: undefined, ends: times }],
  },
  {
    ...{ name: 'audit', items: auditOf(ITEMS), scopes: ['acme', 'other'] },
    parts: [
      values('kind', ['export', 'grant', 'read']),
      values('level', [-1.5, -0.5, 0.5]),
      range('level', [-1.5, 0, 1]),
      one('actor', ['user 0', 'user 2']),
      none('actor', ['user 0', 'user 1']),
    ],
    ranges: [{ by: undefined, ends: [-4, 0, 12.5] }],
  },
]

function searchText(search: Asked['search']): string {
  return String(new URLSearchParams(search.map(([name, value]): [string, string] => [name, value])))
}

function askedOf({ scopes, parts, ranges }: Case): fc.Arbitrary<Asked> {
  return fc
    .record({
      scope: fc.subarray([...scopes], { minLength: 1 }),
      parts: fc.subarray([...parts], { maxLength: 3 }).chain((some) => fc.tuple(...some)),
      order: fc.constantFrom('newest' as const, 'oldest' as const, 'highest' as const, 'lowest' as const, undefined),
      limit: fc.constantFrom(1, 3, 7, undefined),
      range: fc.constantFrom(...ranges),
      from: fc.option(fc.nat(2), { nil: undefined }),
      to: fc.option(fc.nat(2), { nil: undefined }),
    })
    .map(({ scope, parts, order, limit, range, from, to }): Asked => {
      const asked = {
        ...(order === undefined ? {} : { order }),
        ...(limit === undefined ? {} : { limit }),
        ...(range.by === undefined ? {} : { by: range.by }),
        ...(from === undefined ? {} : { from: range.ends[from] }),
        ...(to === undefined ? {} : { to: range.ends[to] }),
      }
      return {
        query: { scope, where: { AND: parts.map(([where]) => where) } as unknown as WhereInput, ...asked },
        search: [
          ...scope.map((each) => ['scope', each] as const),
          ...parts.flatMap(([, search]) => search),
          ...Object.entries(asked).map(([name, value]) => [name, String(value)] as const),
        ],
      }
    })
}

describe.each(CASES)('lists of $name', (tried) => {
  const collection = COLLECTIONS[tried.name] as AnyCollection
  const oracle = createOracle(collection) as Oracle<Record<string, unknown>>
  for (const item of tried.items) oracle.put(item)
  const idsOf = (items: readonly Record<string, unknown>[]): unknown[] => items.map(({ id }) => id)

  test('are those of a filter and a sort in memory, page by page, forth and back, by link, and by number', async () => {
    await fc.assert(
      fc.asyncProperty(askedOf(tried), async ({ query, search }) => {
        const expected = oracle.matching(query)
        const size = query.limit ?? 20
        const address = `/${tried.name}?${searchText(search)}`
        const pages: Record<string, unknown>[][] = []
        let target: string | undefined = address
        let last = address
        while (target !== undefined) {
          const { status, headers, body } = await ask(target)
          expect(status, JSON.stringify(body)).toBe(200)
          pages.push(body.items)
          const link: string = headers.get('link') ?? ''
          last = target
          target = /<([^>]*)>; rel="next"/.exec(link)?.[1]
          expect(target === undefined).toBe(body.cursors.next === null)
          if (pages.length === 1) expect([null, expected.length]).toContain(body.page.total)
        }
        expect(idsOf(pages.flat())).toEqual(idsOf([...expected]))
        for (const page of pages.slice(0, -1)) expect(page).toHaveLength(size)
        for (const item of pages.flat()) expect(item).toMatchObject(plainJson(oracle.get(String(item.id))) as object)
        // By number, from the page index or from columns; a filter that neither numbers is refused.
        const number = await ask(`${address}&page=2`)
        if (number.status === 200) expect(idsOf(number.body.items)).toEqual(idsOf(expected.slice(size, 2 * size)))
        else expect([400, 501]).toContain(number.status)
        // And back.
        const back: unknown[][] = []
        for (let at: string | undefined = last; at !== undefined; ) {
          const { headers, body } = await ask(at)
          back.unshift(idsOf(body.items))
          at = /<([^>]*)>; rel="prev"/.exec(headers.get('link') ?? '')?.[1]
        }
        expect(back.flat()).toEqual(idsOf([...expected]))
      }),
      { numRuns: RUNS },
    )
  })

  test('are counted as they are long', async () => {
    let known = 0
    await fc.assert(
      fc.asyncProperty(askedOf(tried), async ({ query, search }) => {
        const asked = search.filter(([name]) => !['by', 'order', 'limit', 'from', 'to'].includes(name))
        const { status, body } = await ask(`/${tried.name}/-/counts?${searchText(asked)}`)
        expect(status, JSON.stringify(body)).toBe(200)
        const { scope, where } = query
        const total = oracle.matching({
          ...(scope === undefined ? {} : { scope }),
          ...(where === undefined ? {} : { where }),
        })
        expect([null, total.length]).toContain(body.total)
        if (body.total !== null) known++
      }),
      { numRuns: RUNS },
    )
    expect(known).toBeGreaterThan(RUNS / 2)
  })

  test('have one address each, whatever the order of what is asked', async () => {
    await fc.assert(
      fc.asyncProperty(askedOf(tried), fc.nat(), async ({ search }, by) => {
        const addressOf = async (given: Asked['search']): Promise<string | undefined> => {
          const { headers } = await ask(`/${tried.name}?${searchText(given)}`)
          return /<([^>]*)>; rel="first"/.exec(headers.get('link') ?? '')?.[1]
        }
        const turned = [...search.slice(by % search.length), ...search.slice(0, by % search.length)]
        const address = await addressOf(search)
        expect(address).toBeDefined()
        expect(await addressOf(turned)).toBe(address)
        const { headers } = await ask(address ?? '')
        expect(/<([^>]*)>; rel="first"/.exec(headers.get('link') ?? '')?.[1]).toBe(address)
      }),
      { numRuns: RUNS / 3 },
    )
  })
})
