import type { BatchWriteItemCommand } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { createTableClient } from '../../../table/table-client.ts'
import { writeRequests } from '../../../table/write-requests.ts'
import { blockEntry, blockKey, readNewest } from './blocks.ts'
import { groupPuts } from './filling.ts'

const EVERY = 10
const BATCH = 25

function tableThat(answers: (command: unknown) => object): ReturnType<typeof createTableClient> {
  const client = { send: async (command: unknown) => answers(command) }
  return createTableClient({ client: client as never, tableName: 't', random: Math.random, sleep: async () => {} })
}

test('of a scope with a name for each entry, no more blocks are held than are written at once', async () => {
  let taken = 0
  let written = 0
  let mostHeld = 0
  const items: Record<string, unknown>[] = []
  const table = tableThat((command) => {
    const requests = (command as BatchWriteItemCommand).input.RequestItems?.t ?? []
    items.push(...requests.map(({ PutRequest }) => PutRequest?.Item ?? {}))
    mostHeld = Math.max(mostHeld, taken / EVERY - written)
    written += requests.length
    return {}
  })
  function* entries(): Generator<{ cell: string; place: { score: number; member: string } }> {
    for (; taken < 5_000; taken++) yield { cell: `en#${taken}`, place: { score: taken, member: `c${taken}` } }
  }
  await writeRequests(table, groupPuts('P', entries(), EVERY), 'page markers')
  expect(mostHeld).toBeLessThanOrEqual(BATCH + 1)
  expect(items.map(({ SK }) => (SK as { S: string }).S)).toEqual([
    ...Array.from({ length: 500 }, (_, number) => blockKey('P', number).SK),
    'S',
  ])
  expect((items.at(-1) as { cells: { L: unknown[] } }).cells.L).toHaveLength(5_000)
})

test('blocks that were read hold their stamps packed: of many names, a few bytes each', async () => {
  const before = new Map(Array.from({ length: 2_000 }, (_, cell) => [cell, 1]))
  const stored = Array.from({ length: 40 }, (_, i) => {
    const key = blockKey('P', 39 - i)
    const entries = [{ cell: 0, place: { score: 1, member: 'c' } }]
    return { PK: { S: key.PK }, SK: { S: key.SK }, ...blockEntry({ before, entries }) }
  })
  const { blocks } = await readNewest(
    tableThat(() => ({ Items: stored })),
    'P',
    40,
    { consistent: true },
  )
  const held = blocks.flatMap((block) => Object.values(block).filter((value) => value instanceof Map))
  expect(held).toEqual([])
  expect(blocks.map((block) => block.before.size)).toEqual(Array.from({ length: 40 }, () => 2_000))
  expect(blocks.map(({ stored }) => (stored?.['~c']?.B?.length ?? 0) < 4 * 2_000)).not.toContain(false)
})
