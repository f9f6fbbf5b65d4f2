import assert from 'node:assert/strict'
import {
  type CollectionClient,
  type Facets,
  type Item,
  LapidaryError,
  type ListOptions,
  type Page,
  parseQuery,
  type QueryInput,
} from 'lapidary'
import type { Oracle } from '../oracle.ts'

type Things = CollectionClient<Item, Facets>

/** Reads a page for a query that is only known at run time. */
export function readCasePage(things: Things, query: QueryInput, options: ListOptions = {}): Promise<Page<Item>> {
  return things.list({ ...query, ...options } as Parameters<Things['list']>[0])
}

/** Asserts that the page that a cursor leads to is the oracle's, and that its cursors are null exactly at the ends. */
export async function assertPage(
  things: Things,
  oracle: Oracle<Item>,
  query: QueryInput,
  cursor?: string,
): Promise<Page<Item>> {
  const { collection, cursors } = things.context
  const point = cursor === undefined ? undefined : cursors.decode(collection, parseQuery(collection, query), cursor)
  const expected = oracle.page(query, point)
  const page = await readCasePage(things, query, { cursor })
  assert.deepEqual(ids(page.items), ids(expected.items), `the page of ${page.plan.text}`)
  assert.deepEqual(page.items, expected.items)
  const { next, previous } = page.cursors
  const [ahead, behind] = point?.direction === 'backward' ? [previous, next] : [next, previous]
  assert.equal(ahead !== null, expected.more, `a cursor onwards exactly where more follows, ${page.plan.text}`)
  assert.equal(behind !== null, point !== undefined, 'a cursor back exactly where a page was before')
  return page
}

/** Follows `next` from the start to the end, then `previous` back to the start; every page is the oracle's. */
export async function assertWalk(things: Things, oracle: Oracle<Item>, query: QueryInput): Promise<void> {
  const limit = query.limit ?? 20
  const all = oracle.matching(query)
  const pages: Page<Item>[] = []
  let cursor: string | undefined
  do {
    const page = await assertPage(things, oracle, query, cursor)
    pages.push(page)
    assertCounted(page, pages.length)
    cursor = page.cursors.next ?? undefined
    assert.ok(pages.length <= all.length / limit + 1, 'the walk ends')
    if (cursor !== undefined) assert.equal(page.items.length, limit, 'a page is full unless the data ends')
  } while (cursor !== undefined)
  assert.deepEqual(ids(pages.flatMap(({ items }) => items)), ids(all), 'everything exactly once, in order')

  let back = pages.pop()?.cursors.previous ?? undefined
  while (back !== undefined) {
    const page = await assertPage(things, oracle, query, back)
    assertCounted(page, pages.length)
    assert.deepEqual(ids(page.items), ids(pages.pop()?.items ?? []), 'previous walks the same pages back')
    back = page.cursors.previous ?? undefined
  }
  assert.equal(pages.length, 0, 'previous is null exactly at the start')
}

/** Asserts that a page that was reached by cursor knows its number, where nothing is written meanwhile. */
function assertCounted({ page: { number, about } }: Page<Item>, wanted: number): void {
  assert.equal(number ?? about, wanted, 'the number of a page, looked up or counted on')
}

/** Follows `next` with a budget that stops pages short, raised where it allows no round at all. */
export async function collectWithin(things: Things, query: QueryInput, maxCapacity: number): Promise<Item[]> {
  const found: Item[] = []
  let cursor: string | undefined
  let budget = maxCapacity
  for (let pages = 0; pages < 2000; pages++) {
    let page: Page<Item>
    try {
      page = await readCasePage(things, query, { cursor, maxCapacity: budget })
    } catch (error) {
      assert.ok(error instanceof LapidaryError && error.code === 'capacity_exhausted', String(error))
      budget *= 2
      continue
    }
    const { about } = page.page
    if (about !== null) assert.equal(found.length, (about - 1) * page.page.size, 'short pages are counted as they are')
    found.push(...page.items)
    const short = page.items.length < (query.limit ?? 20) && page.cursors.next !== null
    if (short) assert.ok(page.plan.limits.includes('maxCapacity'), 'a short page says why')
    if (page.cursors.next === null) return found
    cursor = page.cursors.next
  }
  return assert.fail('a budget stopped the walk from ever ending')
}

/** Follows `next` to the end. */
export async function collectAll(things: Things, query: QueryInput, from?: string): Promise<Item[]> {
  const found: Item[] = []
  let cursor = from
  for (let pages = 0; pages < 2000; pages++) {
    const page = await readCasePage(things, query, { cursor })
    found.push(...page.items)
    if (page.cursors.next === null) return found
    cursor = page.cursors.next
  }
  return assert.fail('the walk does not end')
}

export function ids(items: readonly Item[]): unknown[] {
  return items.map(({ id }) => id)
}
