import { type AnyCollection, anyOf, type Collection, defineCollection, type Facets, powerSet } from 'lapidary'
import { packed } from 'lapidary/codecs'
import { describe, expect, test } from 'vitest'
import { testEngines } from '../../../../test/engines/index.ts'
import { schemaOf } from '../comments-fixture.ts'
import { createIndexes } from './create-indexes.ts'
import { type Order, order } from './orders.ts'
import { openShop } from './shop.ts'

type Changed = Order & { readonly amount?: number; readonly changedAt: string }

const base = {
  name: 'ORDER',
  schema: schemaOf<Changed>(),
  id: 'id',
  scope: { name: 'CUSTOMER', attribute: 'customer' },
  order: 'at',
  updatedAt: 'changedAt',
  facets: { status: anyOf(['NEW', 'SENT']) },
} as const
const before = defineCollection({ ...base, indexes: { all: {} } })
const after = defineCollection({
  ...base,
  orders: { changed: 'changedAt', amount: { attribute: 'amount', type: 'number', optional: true } },
  indexes: { all: {}, byChange: { order: 'changed' }, byAmount: { order: 'amount' } },
})

const [engine] = testEngines()
if (engine === undefined) throw new Error('no engine')
const ofShop = (collection: unknown) => collection as Collection<Order, Facets>

describe('a new order', () => {
  test('is listed once it is filled, with the items of processes that do not know it', async () => {
    await using shop = await openShop(engine, before)
    const old = shop.process(ofShop(before))
    const recent = shop.process(ofShop(after))
    for (const i of [0, 1, 2]) await old.orders.create(order(i, { amount: 10 - i } as object))
    await old.orders.create(order(3))
    await createIndexes(shop.client, recent.table)
    const list = async (by: string) => {
      const { items } = await recent.orders.list({ scope: 'c1', by } as { scope: string })
      return items.map(({ id }) => id)
    }
    await expect(list('amount')).rejects.toMatchObject({
      code: 'table_mismatch',
      message: expect.stringMatching(/byAmount is not used: it is filling/),
    })
    const planned = recent.orders.explain({ scope: 'c1', by: 'amount' } as { scope: string })
    await expect(planned).rejects.toMatchObject({ code: 'table_mismatch' })
    // No item has a time of a change, so none has a place; nor is any text one.
    const unfit = await recent.table.backfill()
    expect(unfit).toMatchObject({ complete: false, collections: [{ unfit: { byChange: 4 } }] })
    expect(await list('amount')).toEqual(['1000', '1001', '1002'])
    // An item without a place gets one with its next change, and can be deleted.
    await recent.orders.create(order(8))
    await old.orders.create(order(9))
    await recent.orders.delete('1009', { if: { status: 'SENT' } })
    await recent.orders.patch('1003', { note: 'another' })
    await recent.orders.delete('1008')
    await expect(recent.table.backfill({ fill: { changedAt: 'long ago' } })).rejects.toMatchObject({
      code: 'unprocessable',
    })
    const filled = await recent.table.backfill({ fill: { changedAt: '2020-01-01T00:00:00.000Z' } })
    expect(filled).toMatchObject({ complete: true, collections: [{ filled: 3 }] })
    expect(await list('changed')).toEqual(['1003', '1002', '1001', '1000'])

    await old.orders.create(order(4))
    await old.orders.patch('1001', { note: 'changed' })
    await old.orders.patch('1002', { amount: 11 } as object)
    expect(await list('changed')).toEqual(['1002', '1001', '1003', '1004', '1000'])
    expect(await list('amount')).toEqual(['1002', '1000', '1001'])
    expect((await recent.table.backfill({ dryRun: true })).collections).toMatchObject([{ written: 0, unfit: {} }])
  })

  test('is not complete as long as its attribute is packed in some item', async () => {
    const codec = packed()
    await using shop = await openShop(engine, { ...before, codec } as typeof before)
    const old = shop.process(ofShop({ ...before, codec }))
    // Small numbers take less room packed.
    await old.orders.create(order(0, { amount: 5, lines: Array.from({ length: 60 }, () => 1) } as object))
    const recent = shop.process(ofShop({ ...after, codec }))
    await createIndexes(shop.client, recent.table)
    const found = await recent.table.backfill({ index: 'byAmount' })
    expect(found.complete).toBe(false)
    expect(found.collections[0]?.unfitItems).toMatchObject([{ problem: expect.stringContaining('amount is packed') }])
    await recent.orders.patch('1000', { note: 'another' })
    expect(await recent.table.backfill({ index: 'byAmount' })).toMatchObject({ complete: true })
  })

  test('of a power set is not complete as long as an item lacks what it is by', async () => {
    await using shop = await openShop(engine, whole(before), powerSet())
    const old = shop.process(ofShop(whole(before)))
    for (const i of [0, 1]) await old.orders.create(order(i))
    const recent = shop.process(ofShop(whole(after)))
    await createIndexes(shop.client, recent.table)
    const unfit = await recent.table.backfill()
    expect(unfit).toMatchObject({ complete: false, collections: [{ unfit: { listsByChanged: 2 } }] })
    expect(await recent.table.backfill({ fill: { changedAt: '2020-01-01T00:00:00.000Z' } })).toMatchObject({
      complete: true,
    })
    const { items } = await recent.orders.list({ scope: 'c1', by: 'changed', where: { status: ['NEW'] } } as never)
    expect(items.map(({ id }) => id)).toEqual(['1000'])
  })
})

/** Adds the indexes of the layout. */
function whole<C extends AnyCollection>(collection: C): C {
  return { ...collection, indexes: undefined }
}
