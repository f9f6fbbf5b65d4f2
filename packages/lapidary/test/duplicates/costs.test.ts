import { PutItemCommand, type TransactWriteItem, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { powerSetSize } from 'lapidary'
import { expect, test } from 'vitest'
import { testEngines } from '../../../../test/engines/index.ts'
import { entryBytes } from '../../src/model/entry.ts'
import { type Comment, comment, comments } from '../comments-fixture.ts'
import { type Entry, openPowerSet, RATINGS } from './power-set-table.ts'

const [engine] = testEngines()
if (engine === undefined) throw new Error('there is no engine')

const COMMENTS = 70
const LIMIT = 10

test('every page of every filter is one request, at the least capacity that its items can be read for', async () => {
  await using table = await openPowerSet(engine, {})
  const { comments: target } = table.lapidary
  for (let i = 0; i < COMMENTS; i++) {
    const createdAt = new Date(Date.UTC(2024, 0, 1) + i * 60_000).toISOString()
    const { version, updatedAt, ...sent } = comment({ id: `${i}`, createdAt, text: 'x'.repeat(100 + ((i * 97) % 700)) })
    await target.create({
      ...sent,
      rating: RATINGS[(i * i) % 5] as Comment['rating'],
      language: i % 3 === 0 ? 'de' : 'en',
    })
  }
  const bytes = new Map<string, number>()
  for (const entry of (await table.entries()) as readonly Entry[])
    bytes.set(`${entry['k.lists']?.S} ${entry.id?.S}`, entryBytes(entry))
  for (let bits = 1; bits < 2 ** RATINGS.length; bits++) {
    const rating = RATINGS.filter((_, i) => (bits >> i) % 2 === 1)
    for (const language of [undefined, 'de'] as const) {
      const where = { rating, ...(language === undefined ? {} : { language }) }
      const list = `COMMENT/42/${language ?? '~'}/${rating.length === RATINGS.length ? '~' : rating.join('.')}`
      const all = (await target.list({ scope: '42', where, limit: 100 })).items
      let cursor: string | undefined
      for (let shown = 0; ; shown += LIMIT) {
        const { items, cursors, plan } = await target.list({ scope: '42', where, limit: LIMIT, cursor })
        // Those that it shows, and the one by which it is known whether there are more.
        const read = all.slice(shown, shown + LIMIT + 1)
        const least = read.reduce((sum, { id }) => sum + (bytes.get(`${list} ${id}`) ?? Number.NaN), 0)
        expect(items).toEqual(read.slice(0, LIMIT))
        // The counts are read in the same round.
        const ofCounts = plan.tree.inputs.find(({ kind }) => kind === 'counts')?.actual
        expect(plan.actual).toMatchObject({ rounds: 1, itemsRead: read.length })
        expect((plan.actual?.requests ?? 0) - (ofCounts?.requests ?? 0)).toBe(1)
        expect((plan.actual?.rcu ?? 0) - (ofCounts?.rcu ?? 0)).toBe(0.5 * Math.max(1, Math.ceil(least / 4096)))
        cursor = cursors.next ?? undefined
        if (cursor === undefined) break
      }
    }
  }
})

test('a comment is 32 entries and 64 write units, written in one transaction', async () => {
  await using table = await openPowerSet(engine, {})
  await using other = await openPowerSet(engine, {})
  const transactions: (readonly TransactWriteItem[])[] = []
  table.client.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        if (commandName === TransactWriteItemsCommand.name)
          transactions.push((args.input as { TransactItems: TransactWriteItem[] }).TransactItems)
        return next(args)
      },
    { step: 'initialize' },
  )
  const { version, updatedAt, ...sent } = comment()
  await table.lapidary.comments.create(sent)
  const entries = await table.entries()
  expect(entries).toHaveLength(32)
  expect(transactions.map((items) => items.length)).toEqual([32])
  // The emulator tells what a put costs, and not what a transaction does: twice that.
  let units = 0
  for (const Item of entries) {
    const put = new PutItemCommand({ TableName: other.tableName, Item, ReturnConsumedCapacity: 'TOTAL' })
    units += (await other.client.send(put)).ConsumedCapacity?.CapacityUnits ?? Number.NaN
  }
  expect(units).toBe(64)
  expect(powerSetSize(comments)).toMatchObject({ entries: 32, units: 64 })
  transactions.length = 0
  await table.lapidary.comments.patch('100001', { rating: 1, language: 'de' })
  expect(transactions.map((items) => items.length)).toEqual([powerSetSize(comments).edited])
  transactions.length = 0
  await table.lapidary.comments.delete('100001')
  expect(transactions.map((items) => items.length)).toEqual([32])
})
