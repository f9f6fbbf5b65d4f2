import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { BenchContext } from './bench.ts'
import { type Comment, generateComments } from './comments.ts'
import type { Report } from './report.ts'
import { openCommentsTable, openLapidary } from './stored-comments.ts'

/** A transaction doubles its units (AWS Developer Guide). */
const TRANSACTION = 2

/** Write units of each operation on a comment of 500 bytes under the four indexes, the change stream aside. */
export async function writes({ random }: BenchContext): Promise<Report> {
  await using table = await openCommentsTable()
  const units = observeWrites(table.client)
  const { comments } = openLapidary(table.client)
  const [first, second, before] = generateComments(3, random)
  if (first === undefined || second === undefined || before === undefined) throw new Error('no comments')
  // The first write to a table that lacks the register of its indexes makes it, once.
  await comments.create(before)
  const text = 'y'.repeat(first.text.length)
  const operations: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['create', () => comments.create(first)],
    ['rating edited', () => comments.patch(first.id, { rating: (first.rating % 5) + 1 })],
    ['language edited', () => comments.patch(first.id, { language: first.language === 'en' ? 'de' : 'en' })],
    ['text edited', () => comments.patch(first.id, { text })],
    ['changed to what it is', () => comments.patch(first.id, { text })],
    ['delete', () => comments.delete(first.id)],
  ]
  const rows: (readonly [string, number, string])[] = []
  for (const [name, run] of operations) rows.push([name, await unitsOf(units, run), 'as DynamoDB reports'])
  const create = rows[0]?.[1] ?? Number.NaN
  await unitsOf(units, () => comments.create(second, { idempotencyKey: 'once' }))
  rows.push([
    'create with an idempotency key',
    idempotentUnits(create, second),
    'by rule: twice, with the record of the key',
  ])
  return {
    tables: [{ title: 'Write units of a comment of 500 bytes', columns: ['operation', 'write units', 'known'], rows }],
    targets: [
      { name: 'write units of a create', value: create, limit: 5, kind: 'at most' },
      { name: 'write units of an edited rating', value: rows[1]?.[1] ?? Number.NaN, limit: 7, kind: 'at most' },
      { name: 'write units of a delete', value: rows.at(-2)?.[1] ?? Number.NaN, limit: 5, kind: 'at most' },
    ],
    figures: Object.fromEntries(rows.map(([name, value]) => [name, value])),
  }
}

/** The comment as any create, the record of the key with the comment in it, in no index; a KB is enough for it. */
function idempotentUnits(create: number, { text }: Comment): number {
  if (text.length > 700) throw new Error('the record of the key takes more than a KB')
  return TRANSACTION * (create + 1)
}

interface Units {
  written: number
}

function observeWrites(client: DynamoDBClient): Units {
  const units: Units = { written: 0 }
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        if (!/^(Put|Update|Delete)ItemCommand$/.test(commandName)) return next(args)
        const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } as never })
        const { ConsumedCapacity } = result.output as { ConsumedCapacity?: { CapacityUnits?: number } }
        units.written += ConsumedCapacity?.CapacityUnits ?? Number.NaN
        return result
      },
    { step: 'initialize', name: 'observeWrites' },
  )
  return units
}

async function unitsOf(units: Units, run: () => Promise<unknown>): Promise<number> {
  const before = units.written
  await run()
  return units.written - before
}
