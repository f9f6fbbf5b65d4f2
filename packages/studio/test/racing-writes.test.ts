import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readItem } from '../src/item/read-item.ts'
import { deleteItem, saveItem } from '../src/item/write-item.ts'
import type { OpenCollection } from '../src/studio-options.ts'
import { notes, openStudioHarness, orders, type StudioHarness, someOrders } from './studio-harness.ts'

let harness: StudioHarness

beforeAll(async () => {
  harness = await openStudioHarness()
})
afterAll(() => harness?.[Symbol.asyncDispose]())

/** Returns a collection in which another writer comes between the studio's look at an item and its write. */
function raced(of: OpenCollection, between: () => Promise<unknown>): OpenCollection {
  const { client } = of
  const first =
    <A extends unknown[], R>(write: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      await between()
      return write(...given)
    }
  return { ...of, client: { ...client, patch: first(client.patch), delete: first(client.delete) } }
}

const [sample] = someOrders(1)
const cases = [
  {
    name: 'of a version',
    of: (): OpenCollection => ({ collection: orders, client: harness.lapidary.orders as never }),
    make: (id: string) => harness.lapidary.orders.create({ ...sample, id } as never),
    code: 'version_conflict',
  },
  {
    name: 'without a version',
    of: (): OpenCollection => ({ collection: notes, client: harness.lapidary.notes as never }),
    make: (id: string) =>
      harness.lapidary.notes.create({ id, list: 'l', at: '2026-01-01T00:00:00.000Z', kind: 'a', text: 'mine' }),
    code: 'condition_failed',
  },
]

describe.each(cases)('an item $name that another writer changes in the moment of a', ({ of, make, code }) => {
  const theirs = (id: string) => () => of().client.patch(id, { text: 'theirs', note: 'theirs' } as never)

  it('save is not written over', async () => {
    await make('saved')
    const { digest, item } = await readItem(of(), 'saved')
    const typed = JSON.stringify({ ...item, note: 'mine', text: 'mine again' })
    await expect(saveItem(raced(of(), theirs('saved')), 'saved', typed, digest)).rejects.toMatchObject({ code })
    expect(await of().client.get('saved')).toMatchObject({ text: 'theirs', note: 'theirs' })
  })

  it('delete is not deleted', async () => {
    await make('deleted')
    const { digest } = await readItem(of(), 'deleted')
    await expect(deleteItem(raced(of(), theirs('deleted')), 'deleted', digest)).rejects.toMatchObject({ code })
    expect(await of().client.get('deleted')).toMatchObject({ text: 'theirs' })
  })
})
