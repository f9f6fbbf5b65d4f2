import fc from 'fast-check'
import type { ExplainedNode, ListOrder, Page } from 'lapidary'
import { createOracle } from 'lapidary-testing'
import { describe, expect, test } from 'vitest'
import { testEngines } from '../../../test/engines/index.ts'
import { collect } from './collect.ts'
import { type Comment, comment, comments } from './comments-fixture.ts'
import { openTestTable } from './test-table.ts'

const RATINGS = [1, 2, 3, 4, 5] as const

/** The bits of a comment's id decide, so that what is let through is scattered. */
const judges = (share: number) => (item: Comment) => (Number(item.id) * 7919) % 101 < share * 101

describe.each(testEngines())('having on $name', (engine) => {
  test('gives what the function lets through, page by page in both directions, however few bytes a page may read', async () => {
    await using table = await openTestTable(engine, { comments })
    const kind = table.lapidary.comments
    const oracle = createOracle<Comment>(comments)
    for (let i = 0; i < 120; i++) {
      const createdAt = new Date(Date.UTC(2024, 0, 1) + Math.floor(i / 3) * 60_000).toISOString()
      const rating = RATINGS[(i * i) % 5] as Comment['rating']
      const text = 'x'.repeat(i % 11 === 0 ? 3_000 : 50)
      const language = i % 4 === 0 ? 'de' : 'en'
      const item = comment({ id: String(1000 + i), createdAt, rating, text, language })
      await kind.create({ ...item, version: undefined as never })
      oracle.put(item)
    }
    const queries = fc.record({
      share: fc.constantFrom(0, 0.02, 0.1, 0.5, 0.9, 1),
      rating: fc.option(fc.subarray([...RATINGS], { minLength: 1 }), { nil: undefined }),
      language: fc.option(fc.constant('en'), { nil: undefined }),
      order: fc.constantFrom<ListOrder>('newest', 'oldest'),
      limit: fc.constantFrom(1, 3, 20, 100),
      maxBytes: fc.constantFrom(undefined, undefined, 3_000, 20_000),
    })
    await fc.assert(
      fc.asyncProperty(queries, async ({ share, rating, language, order, limit, maxBytes }) => {
        const having = judges(share)
        const query = { scope: '42', where: { rating, language }, order, limit }
        const all = oracle.matching(query as never).filter(having)
        const found: Comment[] = []
        let cursor: string | undefined
        let previous: string | null = null
        for (let pages = 0; pages < 2_000; pages++) {
          const page: Page<Comment> = await kind.list({ ...query, cursor, having, maxBytes })
          found.push(...page.items)
          const { actual, limits, tree } = page.plan
          const next = page.cursors.next
          if (next !== null && page.items.length < limit) expect(limits).toContain('maxBytes')
          if (maxBytes === undefined && next !== null) expect(page.items).toHaveLength(limit)
          if (actual !== null && tree.kind === 'limit') expect(page.plan.text).toContain(' HAVING BY position')
          previous = page.cursors.previous
          cursor = next ?? undefined
          if (next === null) break
        }
        expect(found).toEqual(all)
        if (previous === null || maxBytes !== undefined) return
        const back: Comment[] = []
        while (previous !== null) {
          const page: Page<Comment> = await kind.list({ ...query, cursor: previous, having })
          back.unshift(...page.items)
          previous = page.cursors.previous
        }
        expect(back).toEqual(all.slice(0, back.length))
        expect(await collect(kind.iterate({ ...query, having }))).toEqual(all)
      }),
      { numRuns: engine.name === 'embedded' ? 12 : 3 },
    )
  })

  test('reads what a page takes and no more, and the plan says what it discarded', async () => {
    await using table = await openTestTable(engine, { comments })
    const kind = table.lapidary.comments
    for (let i = 0; i < 200; i++) {
      const createdAt = new Date(Date.UTC(2024, 0, 1) + i * 60_000).toISOString()
      await kind.create({
        ...comment({ id: String(1000 + i), createdAt, text: 'x'.repeat(700) }),
        version: undefined as never,
      })
    }
    const isTenth = ({ id }: Comment): boolean => id.endsWith('7')
    const page = await kind.list({ scope: '42', limit: 5, having: isTenth })
    expect(page.items.map(({ id }) => id)).toEqual(['1197', '1187', '1177', '1167', '1157'])
    expect(page.page.total).toBeNull()
    expect(page.facets).toBeNull()
    const { actual, tree, limits } = page.plan
    const node = tree.inputs[0] as ExplainedNode
    expect(node.kind).toBe('having')
    expect(node.actual?.itemsRead).toBe(actual?.itemsRead)
    expect(node.actual?.itemsDiscarded).toBe((actual?.itemsRead ?? 0) - (node.actual?.itemsReturned ?? 0))
    expect(limits.join()).toMatch(/having let through 1\d % of \d+ items; a facet for it would be cheaper/)
    // The sixth is the look-ahead: 60 comments at least, at four to a block or so.
    expect(actual?.itemsRead).toBeGreaterThanOrEqual(54)
    expect(actual?.itemsRead).toBeLessThan(120)
    const capped = await kind.list({ scope: '42', limit: 5, having: isTenth, maxBytes: 20_000 })
    expect(capped.items.map(({ id }) => id)).toEqual(['1197', '1187'])
    expect(capped.plan.limits).toContain('maxBytes')
    expect(capped.plan.actual?.bytes).toBeLessThanOrEqual(21_000)
  })
})

test('having is refused where it can judge nothing', async () => {
  await using table = await openTestTable(testEngines()[0] as never, { comments })
  const { comments: kind } = table.lapidary
  await kind.create({ ...comment(), version: undefined as never })
  const refused = (message: string) => ({ code: 'unprocessable', message: expect.stringContaining(message) })
  await expect(kind.list({ scope: '42', having: 'good' as never })).rejects.toMatchObject(
    refused('a function of an item'),
  )
  await expect(kind.list({ scope: '42', having: (async () => true) as never })).rejects.toMatchObject(
    refused("it can't be async"),
  )
  await expect(kind.list({ scope: '42', maxBytes: 5 })).rejects.toMatchObject(refused('is for having'))
  await expect(kind.list({ scope: '42', having: () => true, maxBytes: 0 })).rejects.toMatchObject(refused('at least 1'))
})
