import { expect, test } from 'vitest'
import { memoryItems } from '../../test/memory-items/memory-items.ts'
import { keyEntry } from '../derived/guarded-write.ts'
import { commit } from '../stream/commit.ts'
import { beginFence } from './fence.ts'

const key = { PK: '~MAINTENANCE', SK: '~' }

/** A table with a lease; once an answer is lost, the write is made all the same. */
function leased(owner = 'mine') {
  let isLost = false
  const items = memoryItems()
  items.put({ ...keyEntry(key), owner: { S: owner } })
  const table = {
    ...items,
    async send(command: never): Promise<never> {
      const output = await items.send(command)
      if (!isLost || (command as object).constructor.name !== 'TransactWriteItemsCommand') return output as never
      isLost = false
      throw Object.assign(new Error('lost'), { code: 'ECONNRESET' })
    },
  } as typeof items
  const put = (id: string) => ({ Put: { TableName: items.tableName, Item: keyEntry({ PK: id, SK: '~' }) } })
  const write = (guard: ReturnType<Awaited<ReturnType<typeof beginFence>>['next']>, id: string) =>
    commit(table, { ...guard, writes: [...guard.writes, put(id)] }, [])
  const loseAnswer = (): void => {
    isLost = true
  }
  return { items, table, write, loseAnswer }
}

test('each commit has a turn of its own, and a guard is good for one', async () => {
  const { items, table, write } = leased()
  const fence = await beginFence(table, key, 'mine')
  const turns = new Set([items.get(key)?.turn?.S])
  for (const id of ['a', 'b']) {
    expect(await write(fence.next(), id)).toBe('written')
    turns.add(items.get(key)?.turn?.S)
  }
  expect(turns.size).toBe(3)
  expect(turns).not.toContain(undefined)
  const guard = fence.next()
  expect(guard.name).toBe('what is mended')
  expect(await write(guard, 'c')).toBe('written')
  expect(await write(guard, 'd')).toBe('spent')
  expect(items.get({ PK: 'd', SK: '~' })).toBeUndefined()
})

test('a commit whose answer was lost is made once', async () => {
  const { items, table, write, loseAnswer } = leased()
  const fence = await beginFence(table, key, 'mine')
  loseAnswer()
  expect(await write(fence.next(), 'a')).toBe('spent')
  expect(items.get({ PK: 'a', SK: '~' })).toBeDefined()
  expect(await write(fence.next(), 'b')).toBe('written')
})

test('what an earlier holder sends late is refused, also of the same name', async () => {
  for (const next of ['mine', 'other']) {
    const { items, table, write } = leased()
    const late = (await beginFence(table, key, 'mine')).next()
    items.put({ ...items.get(key), owner: { S: next } })
    await beginFence(table, key, next)
    await expect(write(late, 'a')).rejects.toMatchObject({
      code: 'unavailable',
      message: 'another process took over the repair of this derived data',
    })
    expect(items.get({ PK: 'a', SK: '~' })).toBeUndefined()
  }
})

test('begins only for who has the lease', async () => {
  const { table } = leased('other')
  await expect(beginFence(table, key, 'mine')).rejects.toMatchObject({ code: 'unavailable' })
  await expect(beginFence(memoryItems(), key, 'mine')).rejects.toMatchObject({ code: 'unavailable' })
})

test('of a guard that another write was in the way of, the owner tries again, and no other does', async () => {
  const { items, table } = leased()
  const guard = (await beginFence(table, key, 'mine')).next()
  expect(await guard.isSpent()).toBe(false)
  items.put({ ...items.get(key), owner: { S: 'other' } })
  await expect(guard.isSpent()).rejects.toThrow('took over')
})
