import { BatchExecuteStatementCommand, type BatchExecuteStatementCommandOutput } from '@aws-sdk/client-dynamodb'
import { createLapidary } from 'lapidary'
import { importItems, type OnConflict } from 'lapidary/transfer'
import { intercepted } from 'lapidary-testing'
import { describe, expect, test } from 'vitest'
import { type TestEngine, testEngines } from '../../../test/engines/index.ts'
import { type Comment, comment, comments } from './comments-fixture.ts'
import { openTestTable } from './test-table.ts'

const ids = (count: number, first = 0): string[] => Array.from({ length: count }, (_, i) => String(first + i))

/** Comments 0 to 9 at version 3, and an import of 0 to 29 at version 2, 3 and 4, by turns. */
async function importOver(engine: TestEngine, onConflict?: OnConflict) {
  const table = await openTestTable(engine, { comments })
  await importItems(
    table.lapidary.comments,
    ids(10).map((id) => comment({ id, version: 3, text: 'stored' })),
  )
  const imported = ids(30).map((id, i) => comment({ id, version: 2 + (i % 3), text: 'imported' }))
  const result = await importItems(table.lapidary.comments, imported, onConflict === undefined ? {} : { onConflict })
  const texts = await Promise.all(ids(30).map(async (id) => (await table.lapidary.comments.get(id)).text))
  await table[Symbol.asyncDispose]()
  return { result, stored: ids(30).filter((_, i) => texts[i] === 'stored') }
}

describe.each(testEngines())('an import over stored items on $name', (engine) => {
  test('leaves what is newer, as it is by default where there is a version', async () => {
    for (const onConflict of [undefined, 'newer'] as const) {
      const { result, stored } = await importOver(engine, onConflict)
      expect(stored).toEqual(['0', '3', '6', '9'])
      expect(result).toMatchObject({ written: 26, skipped: 4, failed: 0, rejected: 0 })
      expect(result.checkpoint).toMatchObject({ lines: 30, written: 26, skipped: 4 })
    }
  })

  test('replaces everything, or leaves everything, when it is told to', async () => {
    expect(await importOver(engine, 'replace')).toMatchObject({ stored: [], result: { written: 30, skipped: 0 } })
    expect(await importOver(engine, 'skip')).toMatchObject({ stored: ids(10), result: { written: 20, skipped: 10 } })
  })

  test('refuses a line that DynamoDB can not hold, and stores those beside it', async () => {
    await using table = await openTestTable(engine, { comments })
    const held = ['fine', '\ud800', 'x'.repeat(410_000), 'fine', 1e300 as never]
    const items = held.map((text, i) => comment({ id: `${i}`, text }))
    for (const onConflict of ['replace', 'skip'] as const) {
      const refused: number[] = []
      const onRejected = ({ line }: { readonly line: number }) => void refused.push(line)
      const result = await importItems(table.lapidary.comments, items, { onConflict, onRejected })
      expect(result).toMatchObject({ lines: 5, rejected: 3, failed: 0 })
      expect(refused.toSorted()).toEqual([2, 3, 5])
    }
    expect(await table.lapidary.comments.getMany(['0', '1', '2', '3'])).toMatchObject([
      { id: '0' },
      ...[undefined, undefined, { id: '3' }],
    ])
  })

  test('goes on by conditional puts where PartiQL is not allowed', async () => {
    await using table = await openTestTable(engine, { comments })
    let denied = 0
    const client = intercepted<typeof table.client>(table.client, (command, send) => {
      if (!(command instanceof BatchExecuteStatementCommand)) return send(command)
      denied++
      return Promise.reject(Object.assign(new Error('not allowed'), { name: 'AccessDeniedException' }))
    })
    const { tableName } = table
    const cursorSecret = 'a secret of the tests'
    const importer = createLapidary({ client, tableName, collections: { comments }, cursorSecret })
    await table.lapidary.comments.create({ ...comment({ id: '3' }), version: undefined, updatedAt: undefined })
    await table.lapidary.comments.patch('3', { text: 'patched' })
    const result = await importItems(
      importer.comments,
      ids(60).map((id) => comment({ id })),
    )
    expect(result).toMatchObject({ written: 59, skipped: 1 })
    expect(denied).toBeLessThanOrEqual(3)
    expect(await table.lapidary.comments.get('3')).toMatchObject({ text: 'patched', version: 2 })
  })

  test('sends again what DynamoDB throttles, and names the lines that stay behind', async () => {
    await using table = await openTestTable(engine, { comments })
    let batches = 0
    const client = intercepted<typeof table.client>(table.client, async (command, send) => {
      if (!(command instanceof BatchExecuteStatementCommand)) return send(command)
      const { Statements = [] } = command.input
      const isFirst = batches < 2
      const stuck = Statements.map(
        ({ Parameters }, i) => Parameters?.[0]?.S === 'COMMENT#7' || (isFirst && i % 2 === 0),
      )
      const passing = Statements.filter((_, i) => !stuck[i])
      const answer = passing.length === 0 ? {} : await send(new BatchExecuteStatementCommand({ Statements: passing }))
      const { Responses = [] } = answer as Partial<BatchExecuteStatementCommandOutput>
      let next = 0
      const answers = stuck.map((is) => (is ? { Error: { Code: 'ProvisionedThroughputExceeded' } } : Responses[next++]))
      batches++
      return { Responses: answers }
    })
    const { tableName } = table
    const importer = createLapidary({
      ...{ client, tableName, collections: { comments }, random: () => 0 },
      cursorSecret: 'a secret of the tests',
    })
    const result = await importItems(
      importer.comments,
      ids(60).map((id) => comment({ id })),
    )
    expect(result).toMatchObject({ written: 59, failed: 1, failures: [{ line: 8 }], checkpoint: { lines: 0 } })
    for (const id of ids(52, 8)) expect(await table.lapidary.comments.get(id)).toMatchObject({ id })
  })

  test('loses no change that is made meanwhile', async () => {
    await using table = await openTestTable(engine, { comments })
    const { lapidary } = table
    const all = ids(50, 100).map((id) => comment({ id, text: 'first' }))
    await importItems(lapidary.comments, all)
    const patched = new Map<string, Comment>()
    const patches = async (): Promise<void> => {
      for (const id of ids(50, 100)) patched.set(id, await lapidary.comments.patch(id, { text: `patched ${id}` }))
    }
    await Promise.all([patches(), importItems(lapidary.comments, all), importItems(lapidary.comments, all)])
    for (const [id, item] of patched) expect(await lapidary.comments.get(id)).toEqual(item)
  })
})

test('without a declared version nothing is newer', async () => {
  const [engine] = testEngines()
  await using table = await openTestTable(engine as TestEngine, { comments: { ...comments, version: undefined } })
  const items = [comment({ text: 'second' })]
  await importItems(table.lapidary.comments, [comment()])
  await expect(importItems(table.lapidary.comments, items, { onConflict: 'newer' })).rejects.toMatchObject({
    code: 'unprocessable',
  })
  expect(await importItems(table.lapidary.comments, items)).toMatchObject({ written: 1 })
  expect((await table.lapidary.comments.get('100001')).text).toBe('second')
})
