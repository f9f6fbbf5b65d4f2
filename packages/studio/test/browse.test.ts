import fc from 'fast-check'
import type { ExplainedNode, QueryInput } from 'lapidary'
import { createOracle, type Oracle } from 'lapidary-testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testEngines } from '../../../test/engines/index.ts'
import { openStudioHarness, orders, STATUSES, type StudioHarness, someOrders } from './studio-harness.ts'

const ITEMS = 120

describe.each(testEngines())('lists on $name', (engine) => {
  let harness: StudioHarness
  let oracle: Oracle<unknown>

  beforeAll(async () => {
    harness = await openStudioHarness({ engine })
    oracle = createOracle<unknown>(orders as never)
    for (const order of [...someOrders(ITEMS), ...someOrders(5, 'c2')]) {
      oracle.put(await harness.lapidary.orders.create(order))
    }
    await harness.lapidary.stream.catchUp()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const page = async (parameters: URLSearchParams): Promise<string> => {
    const answer = await harness.get(`/c/orders?${parameters}`)
    expect([String(parameters), answer.status]).toEqual([String(parameters), 200])
    return answer.text()
  }

  it('show what the naive filter and sort show, page after page to the end, for any filter', async () => {
    const some = <T>(values: readonly T[]) => fc.subarray([...values], { maxLength: 2 })
    const asked = fc.record({
      status: some(STATUSES),
      country: fc.constantFrom(undefined, 'de', 'fr', 'xx'),
      tags: some(['new', 'gift', 'none of them']),
      from: fc.constantFrom(undefined, 10, 45),
      to: fc.constantFrom(undefined, 50, 80),
      not: fc.constantFrom(undefined, 'de', 'it'),
      where: fc.constantFrom(
        undefined,
        { OR: [{ status: 'LOST' }, { price: { from: 70 } }] },
        { NOT: { tags: ['new'] } },
      ),
      by: fc.constantFrom(undefined, 'price'),
      order: fc.constantFrom(undefined, 'lowest' as const),
      limit: fc.constantFrom(10, 20, 50),
    })
    await fc.assert(
      fc.asyncProperty(asked, async ({ status, country, tags, from, to, not, where, by, order, limit }) => {
        const parameters = new URLSearchParams({ scope: 'c1', limit: String(limit) })
        const parts: object[] = []
        const add = (part: object, ...given: [string, string][]): void => {
          parts.push(part)
          for (const [name, value] of given) parameters.append(name, value)
        }
        if (status.length > 0) add({ status }, ...status.map((each): [string, string] => ['is.status', each]))
        if (country !== undefined) add({ country }, ['is.country', country])
        if (tags.length > 0) add({ tags }, ...tags.map((each): [string, string] => ['is.tags', each]))
        if (from !== undefined) add({ price: { from } }, ['from.price', String(from)])
        if (to !== undefined) add({ price: { to } }, ['to.price', String(to)])
        if (not !== undefined) add({ NOT: { country: [not] } }, ['not.country', not])
        if (where !== undefined) add(where, ['where', JSON.stringify(where)])
        if (by !== undefined) parameters.set('by', by)
        if (order !== undefined) parameters.set('order', order)
        const query = { scope: 'c1', where: { AND: parts }, by, order, limit } as QueryInput
        const expected = oracle.matching(query).map((item) => (item as { id: string }).id)
        const shown: string[] = []
        for (let next: URLSearchParams | undefined = parameters; next !== undefined; ) {
          const html: string = await page(next)
          shown.push(...idsIn(html))
          const link: string | undefined = /href="\/c\/orders\?([^"]*)" id="page-next"/.exec(html)?.[1]
          next = link === undefined ? undefined : new URLSearchParams(link.replaceAll('&amp;', '&'))
        }
        expect(shown).toEqual(expected)
      }),
      { numRuns: 15 },
    )
  })

  it('have the counts of the naive filter beside each value, and the total', async () => {
    const html = await page(new URLSearchParams({ scope: 'c1', 'is.country': 'de' }))
    for (const status of STATUSES) {
      const expected = oracle.matching({ scope: 'c1', where: { country: 'de', status } }).length
      expect([status, countOf(html, `is-status-${status}`)]).toEqual([status, expected])
    }
    // Its own selection does not narrow what is beside a facet.
    for (const country of ['de', 'fr', 'it']) {
      const expected = oracle.matching({ scope: 'c1', where: { country } }).length
      expect([country, countOf(html, `is-country-${country}`)]).toEqual([country, expected])
    }
    expect(html).toContain(`${oracle.matching({ scope: 'c1', where: { country: 'de' } }).length} items`)
  })

  it('have pages by number that are the same as by cursor', async () => {
    const all = oracle.matching({ scope: 'c1' }).map((item) => (item as { id: string }).id)
    for (const number of [1, 2, 5, 12, 13]) {
      const html = await page(new URLSearchParams({ scope: 'c1', limit: '10', page: String(number) }))
      expect(idsIn(html)).toEqual(all.slice(10 * (number - 1), 10 * number))
      if (number <= 12) expect(html).toMatch(new RegExp(`aria-current="page">${number}<`))
    }
  })

  it('say the plan, the requests and the price of what was read', async () => {
    const html = await page(new URLSearchParams({ scope: 'c1', 'is.status': 'OPEN' }))
    const plan = await harness.lapidary.orders.explain({ scope: 'c1', where: { status: ['OPEN'] } })
    expect(html).toContain(plan.text.split(' -- ')[0])
    const requests = requestsOf(plan.tree)
    expect(requests.length).toBeGreaterThan(0)
    for (const { index, keyCondition, limit } of requests)
      expect(html).toContain(`Query ${index}: ${keyCondition.replaceAll('"', '&quot;')}, limit ${limit}`)
    const rcu = Number(/<b>([\d.]+) RCU<\/b>/.exec(html)?.[1])
    // Counts, half a unit, are remembered for a moment.
    expect(Math.abs(rcu - (plan.actual?.rcu ?? 0))).toBeLessThanOrEqual(0.5)
    expect(html).toContain(`<b>${money.format(rcu * 0.125)}</b> a million pages`)
  })

  it('say which parameters can’t be read, and keep the rest of the page', async () => {
    for (const [wrong, name] of [
      ['is.status=NEVER', 'status'],
      ['is.colour=red', 'is.colour'],
      ['colour=red', 'colour'],
      ['limit=0', 'limit'],
      ['limit=ten', 'limit'],
      ['page=0', 'page'],
      ['cursor=nonsense', 'cursor'],
      ['by=nothing', 'by'],
      ['where={', 'where'],
      ['where=[1]', 'where'],
      ['from=yesterday', 'from'],
      ['from.price=cheap', 'from.price'],
      ['is.__proto__=1', 'is.__proto__'],
    ] as const) {
      const answer = await harness.get(`/c/orders?scope=c1&${wrong}`)
      const html = await answer.text()
      expect([wrong, answer.status >= 400 && answer.status < 500]).toEqual([wrong, true])
      expect(html).toContain('role="alert"')
      expect(html.toLowerCase()).toContain(name.replace(/^is\.|^from\./, '').toLowerCase())
      expect(html).toContain('id="facet-status"')
    }
    expect(harness.reported).toEqual([])
  })

  it('are found by a board and its counts, and by those that were opened', async () => {
    const html = await (await harness.get('/c/orders')).text()
    expect(html).toContain('<a href="/c/orders?scope=c1"><bdi>c1</bdi></a>')
    expect(html).toContain(`>${ITEMS}<`)
    expect(html).toContain('Opened in this session')
  })

  it('take empty fields and chosen columns of forms into one address', async () => {
    const answer = await harness.get('/c/orders?scope=c1&where=&by=&col=id&col=price')
    expect(new URL(answer.url).search).toBe('?scope=c1&cols=id%2Cprice')
    const html = await answer.text()
    expect(html).toMatch(/<th scope="col" class="column-id">id<\/th><th scope="col">price/)
    expect(html).not.toContain('<th scope="col">status')
  })
})

describe('lists of a table with columns', () => {
  it('have the exact count of each value of each facet beside any filter, and the total', async () => {
    await using harness = await openStudioHarness({ columns: true })
    const oracle = createOracle<unknown>(orders as never)
    for (const order of someOrders(ITEMS)) oracle.put(await harness.lapidary.orders.create(order))
    await harness.lapidary.stream.catchUp()
    const where = { price: { from: 20, to: 80 }, country: 'de', status: ['OPEN', 'LOST'] }
    const asked = 'scope=c1&from.price=20&to.price=80&is.country=de&is.status=OPEN&is.status=LOST'
    const html = await (await harness.get(`/c/orders?${asked}`)).text()
    const matching = (more: object): number =>
      oracle.matching({ scope: 'c1', where: { ...where, ...more } } as QueryInput).length
    expect(matching({})).toBeGreaterThan(0)
    expect(html).toContain(`${matching({})} items`)
    expect(html).toContain('counts by columns took')
    for (const status of STATUSES)
      expect([status, countOf(html, `is-status-${status}`)]).toEqual([status, matching({ status })])
    for (const tag of ['gift', 'new', 'bulk']) {
      const expected = matching({ tags: [tag] })
      if (expected > 0) expect([tag, countOf(html, `is-tags-${tag}`)]).toEqual([tag, expected])
    }
  })
})

const money = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' })

function requestsOf({ request, inputs }: ExplainedNode): readonly NonNullable<ExplainedNode['request']>[] {
  return [...(request === undefined ? [] : [request]), ...inputs.flatMap(requestsOf)]
}

function idsIn(html: string): readonly string[] {
  return [...html.matchAll(/<th scope="row" class="column-id"><a href="[^"]*item\?id=([^"]*)"/g)].map(([, id = '']) =>
    decodeURIComponent(id),
  )
}

function countOf(html: string, id: string): number {
  const link = new RegExp(`id="${id}"[^>]*>.*?value-count[^>]*>([\\d,]+)<`).exec(html)?.[1]
  return Number(link?.replaceAll(',', ''))
}
