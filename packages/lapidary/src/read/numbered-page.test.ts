import { createLapidary } from 'lapidary'
import { expect, test } from 'vitest'
import { comment, comments } from '../../test/comments-fixture.ts'
import { memoryClient } from '../../test/memory-client.ts'
import type { Entry } from '../model/entry.ts'
import type { PageIndex } from '../pages/page-index.ts'
import type { ReadContext } from './context.ts'
import { readNumberedPage } from './numbered-page.ts'

const TOTAL = 6_000

interface Setting {
  readonly context: ReadContext
  /** How often something was planned: each plan asks once what a round is worth. */
  readonly plans: () => number
}

/** A collection without items, whose page index has many. */
function setting(lookUpRcu: number): Setting {
  const written: readonly Entry[] = []
  const { context } = createLapidary({
    client: memoryClient(written, {}) as never,
    ...{ tableName: 'comments', collections: { comments }, cursorSecret: 'a secret of the tests', clock: () => 0 },
  }).comments
  const { createdAt: order, id } = comment()
  const index: Pick<PageIndex, 'declared' | 'label' | 'state' | 'find' | 'price'> = {
    ...{ declared: {}, label: undefined, state: async () => 'ready' },
    find: async (_, offset) => ({
      ...{ total: TOTAL, rcu: lookUpRcu, rounds: 2, requests: 3 },
      position: offset < TOTAL ? { order, id } : undefined,
    }),
    price: (_, { entry }) => ({ rcu: entry ? lookUpRcu : 0.5, rounds: entry ? 2 : 1 }),
  }
  let plans = 0
  const counted = { ...context, pages: [index as PageIndex] }
  Object.defineProperty(counted, 'roundPrice', {
    get: () => {
      plans += 1
      return undefined
    },
  })
  return { context: counted as unknown as ReadContext, plans: () => plans }
}

test('a page by its number is planned once', async () => {
  const { context, plans } = setting(7)
  const { plan } = await readNumberedPage(context, 292, { scope: '42', limit: 20 })
  expect(plans()).toBe(1)
  expect(plan.text).toMatch(/^PAGE INDEX OFFSET 5820, THEN all\[42\] /)
})

test('a page near the first is priced in both ways, and the way that is taken is not planned again', async () => {
  const { context, plans } = setting(7)
  const { plan } = await readNumberedPage(context, 2, { scope: '42', limit: 5 })
  expect(plan.text).toContain(' LESS THE FIRST 5 ')
  expect(plans()).toBe(2)
})

test('what the page costs has the look-up in it: in its line, its figures and its tree', async () => {
  const { context } = setting(7)
  const { plan } = await readNumberedPage(context, 292, { scope: '42', limit: 20 })
  expect(plan.pageIndex).toEqual({ rcu: 7, rounds: 2 })
  expect(plan.actual).toMatchObject({ rcu: 7.5, requests: 4, rounds: 3 })
  expect(plan.estimated.rcu).toBe(plan.lists.rcu + 7)
  expect(plan.text).toMatch(new RegExp(` -- ${Math.round(plan.estimated.rcu * 2) / 2} RCU, 3 rounds$`))
  expect(plan.tree).toMatchObject({
    kind: 'limit',
    actual: { rcu: 7.5, requests: 4 },
    inputs: [
      { kind: 'source', actual: { rcu: 0.5 } },
      { kind: 'pageIndex', text: 'PAGE INDEX OFFSET 5820', estimated: { rcu: 7 }, actual: { rcu: 7, rounds: 2 } },
    ],
  })
})

test('a cap is of the whole page: what finding it took, its list lacks', async () => {
  const { context } = setting(7)
  const asked = { scope: '42', limit: 20 }
  const refused = (message: string) => ({ code: 'capacity_exhausted', message: expect.stringContaining(message) })
  const page = (maxCapacity: number) => readNumberedPage(context, 292, asked, { maxCapacity })
  await expect(page(6.5)).rejects.toMatchObject(refused('finding the page by its number takes, some 7 RCU'))
  await expect(page(7.25)).rejects.toMatchObject(refused('the 7 RCU beside its lists and one read of each list'))
  expect((await page(7.5)).plan.actual?.rcu).toBe(7.5)
})
