import { type DynamoDBClient, GetItemCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { createLapidary, powerSet } from 'lapidary'
import { canceledTransaction, dynamodbError, intercepted } from 'lapidary-testing'
import { describe, expect, test } from 'vitest'
import { testEngines } from '../../../test/engines/index.ts'
import { comment, comments } from './comments-fixture.ts'
import { openTestTable } from './test-table.ts'

const { version: _, updatedAt, ...NEW } = comment()
const READS = [1, 2, 3]

/**
 * Makes a client of which the next transactions meet fates: one that is `late` is answered as being under way and held back, one that `conflicts`
 * is refused for another at its items. What is held back is made before a read that the test names, counted once all fates were met, or by `land`.
 */
function lateTries(client: DynamoDBClient) {
  const fates: ('late' | 'conflict')[] = []
  const held: (() => Promise<unknown>)[] = []
  let landAtRead = Number.POSITIVE_INFINITY
  let reads = 0
  const land = async (): Promise<void> => {
    for (const make of held.splice(0)) await make().catch(() => undefined)
  }
  const troubled = intercepted<DynamoDBClient>(client, async (command, send) => {
    if (command instanceof GetItemCommand && fates.length === 0 && ++reads === landAtRead) await land()
    const fate = command instanceof TransactWriteItemsCommand ? fates.shift() : undefined
    if (fate === undefined) return send(command)
    if (fate === 'conflict') {
      const { TransactItems = [] } = (command as TransactWriteItemsCommand).input
      throw canceledTransaction(TransactItems.map((_, i) => (i === 0 ? 'TransactionConflict' : 'None')))
    }
    held.push(() => send(command))
    throw dynamodbError('TransactionInProgressException')
  })
  return {
    troubled,
    land,
    /** Has the next transactions meet these fates. */
    meet(next: readonly (typeof fates)[number][], atRead = Number.POSITIVE_INFINITY) {
      fates.push(...next)
      reads = 0
      landAtRead = atRead
    },
  }
}

describe.each(testEngines())('a transaction of which an early try is made late, on $name,', (engine) => {
  async function open() {
    const table = await openTestTable(engine, { comments }, { layout: powerSet() })
    const tries = lateTries(table.client)
    let now = Date.UTC(2026, 0, 1)
    const { comments: own } = createLapidary({
      client: tries.troubled,
      tableName: table.tableName,
      collections: { comments },
      cursorSecret: 'a secret of the tests',
      layout: powerSet(),
      // No two plans are alike.
      clock: () => now++,
    })
    return { ...tries, own, [Symbol.asyncDispose]: () => table[Symbol.asyncDispose]() }
  }

  test.each(READS)('is answered as a success, made before read %i', async (read) => {
    await using tested = await open()
    const { own, meet } = tested
    await own.create(NEW)
    meet(['late', 'conflict'], read)
    expect(await own.patch('100001', { rating: 2 }, { ifVersion: 1 })).toMatchObject({ rating: 2, version: 2 })
    meet(['late', 'conflict'], read)
    expect(await own.patch('100001', { rating: 1 }, { if: { rating: 2 } })).toMatchObject({ rating: 1, version: 3 })
    meet(['late', 'conflict'], read)
    const replaced = await own.replace({ ...NEW, rating: 3 } as never, { ifVersion: 3 })
    expect(replaced).toMatchObject({ rating: 3, version: 4 })
    meet(['late', 'conflict'], read)
    await own.delete('100001', { ifVersion: 4 })
    await expect(own.get('100001')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('is answered as a success, made after another try was lost too', async () => {
    await using tested = await open()
    const { own, meet } = tested
    await own.create(NEW)
    meet(['late', 'conflict', 'late', 'conflict'], 1)
    expect(await own.patch('100001', { rating: 2 }, { ifVersion: 1 })).toMatchObject({ rating: 2, version: 2 })
    expect(await own.get('100001')).toMatchObject({ rating: 2, version: 2 })
  })

  test.each([undefined, 'a key'])('brings back nothing that was deleted since, idempotency key %s', async (key) => {
    await using tested = await open()
    const { own, meet, land } = tested
    meet(['late', 'conflict'])
    await own.create(NEW, { idempotencyKey: key })
    await own.delete('100001')
    await land()
    await expect(own.get('100001')).rejects.toMatchObject({ code: 'not_found' })
    expect((await own.list({ scope: comment().productId })).items).toEqual([])
  })
})
