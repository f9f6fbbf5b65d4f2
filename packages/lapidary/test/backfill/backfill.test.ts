import { describe, expect, test } from 'vitest'
import { testEngines } from '../../../../test/engines/index.ts'
import { createIndexes } from './create-indexes.ts'
import { order, orders, ordersByChannel, ordersByStatus, ordersWith } from './orders.ts'
import { openShop } from './shop.ts'

const SENT = { scope: 'c1', where: { status: 'SENT' }, limit: 100 } as const
const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

describe.each(testEngines())('a new index on $name', (engine) => {
  test('is not read until it is complete: the same answer by another plan, which says why; then by the index', async () => {
    await using shop = await openShop(engine)
    const before = shop.process(orders)
    for (const i of range(30)) await before.orders.create(order(i))
    const expected = (await before.orders.list(SENT)).items
    expect(expected).toHaveLength(15)

    const after = shop.process(ordersByStatus)
    await createIndexes(shop.client, after.table)
    const filling = await after.orders.list(SENT)
    expect(filling.items).toEqual(expected)
    expect(filling.plan.text).toMatch(/^all\[/)
    expect(filling.plan.limits).toContain(
      'byStatus is not used: it is filling; lapidary backfill completes it, once the table has it',
    )
    expect(filling.plan.rejected).toContainEqual(expect.objectContaining({ text: 'byStatus', rcu: null }))

    const { complete, collections } = await after.table.backfill()
    expect({ complete, collections }).toMatchObject({
      complete: true,
      collections: [
        { items: 30, written: 30, unfit: {}, indexes: [{ name: 'all' }, { name: 'byStatus', state: 'ready' }] },
      ],
    })
    const filled = await after.orders.list(SENT)
    expect(filled.items).toEqual(expected)
    expect(filled.plan.text).toMatch(/^byStatus\[c1\/SENT\]/)
    expect(filled.plan.limits).toEqual([])
    // Nothing is left to do.
    expect((await after.table.backfill()).collections[0]).toMatchObject({ items: 30, written: 0 })
  })

  test('is kept by processes that do not declare it, while it is filled and afterwards', async () => {
    await using shop = await openShop(engine)
    const before = shop.process(orders)
    for (const i of range(20)) await before.orders.create(order(i))
    const after = shop.process(ordersByStatus)
    await createIndexes(shop.client, after.table)
    let i = 19
    let isDone = false
    const writes = (async () => {
      // No more than a page holds.
      while (!isDone && i < 90) {
        i++
        await before.orders.create(order(i))
        await before.orders.patch(String(1000 + i - 1), { status: 'SENT' }).catch(() => undefined)
        if (i % 3 === 0) await before.orders.delete(String(1000 + i - 10))
      }
    })()
    await after.table.backfill()
    isDone = true
    await writes
    await before.orders.create(order(i + 1, { status: 'SENT' }))
    await before.orders.patch('1000', { status: 'SENT' })
    const all = await after.orders.list({ scope: 'c1', limit: 100 })
    const sent = await after.orders.list(SENT)
    expect(sent.plan.text).toMatch(/^byStatus\[/)
    expect(sent.items).toEqual(all.items.filter(({ status }) => status === 'SENT'))
    expect(sent.items.map(({ id }) => id)).toContain('1000')
  })

  test('under the name of one with other keys is refused, and lists are right without it', async () => {
    await using shop = await openShop(engine)
    const before = shop.process(ordersByStatus)
    await createIndexes(shop.client, before.table)
    for (const i of range(4)) await before.orders.create(order(i))
    await before.table.backfill()
    const after = shop.process(ordersWith({ all: {}, byStatus: { partition: ['status'], shards: 2 } }))
    const { items, plan } = await after.orders.list(SENT)
    expect(items.map(({ id }) => id)).toEqual(['1003', '1001'])
    expect(plan.limits).toContainEqual(expect.stringMatching(/byStatus is not used.*another name/))
    await expect(after.table.backfill()).rejects.toMatchObject({
      code: 'table_mismatch',
      message: expect.stringMatching(/byStatus has the keys k.status, s, .* k.~s2.status, s;.*another name/),
    })
    expect((await before.orders.list(SENT)).plan.text).toMatch(/^byStatus/)
  })

  test('that the table does not have is planned without', async () => {
    await using shop = await openShop(engine)
    const after = shop.process(ordersByStatus)
    for (const i of range(4)) await after.orders.create(order(i))
    const { items, plan } = await after.orders.list(SENT)
    expect(items.map(({ id }) => id)).toEqual(['1003', '1001'])
    expect(plan.text).toMatch(/^all\[/)
    await expect(after.table.backfill()).rejects.toMatchObject({ code: 'table_mismatch' })
  })

  test('on a new facet needs a value for items that lack it', async () => {
    await using shop = await openShop(engine)
    const before = shop.process(orders)
    for (const i of range(5)) await before.orders.create(order(i))
    const after = shop.process(ordersByChannel)
    await createIndexes(shop.client, after.table)
    await after.orders.create(order(5, { channel: 'shop' }))
    const unfit = await after.table.backfill()
    expect(unfit).toMatchObject({ complete: false, collections: [{ unfit: { byChannel: 5 }, written: 0 }] })
    expect((await after.orders.list({ scope: 'c1' })).items).toHaveLength(6)

    const filled = await after.table.backfill({ fill: { channel: 'web' } })
    expect(filled).toMatchObject({ complete: true, collections: [{ filled: 5, written: 5 }] })
    await before.orders.create(order(6))
    const web = await after.orders.list({ scope: 'c1', where: { channel: 'web' } })
    expect(web.plan.text).toMatch(/^byChannel\[c1\/web\]/)
    expect(web.items.map(({ id }) => id)).toEqual(['1006', '1004', '1003', '1002', '1001', '1000'])
    expect(web.items[0]).toMatchObject({ channel: 'web' })
  })
})
