import { QueryCommand } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import { createLapidary } from 'lapidary'
import { chosenSeed, createOracle, intercepted } from 'lapidary-testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../test/engines/index.ts'
import { type Comment, comment, comments } from './comments-fixture.ts'

const seed = chosenSeed(process.env.FC_SEED)
console.log(`FC_SEED=${seed}`)

const ITEMS = 120
const PAGE = 20

const engine = createTestClient(testEngines()[0] as never)
const tableName = uniqueTableName()
let queries = 0
const client = intercepted<typeof engine>(engine, (command, send) => {
  if (command instanceof QueryCommand && command.input.IndexName !== undefined) queries += 1
  return send(command)
})
const lapidary = createLapidary({ client, tableName, collections: { comments }, cursorSecret: 'a secret of the tests' })
const oracle = createOracle(comments)

beforeAll(async () => {
  await lapidary.table.create()
  for (let i = 0; i < ITEMS; i++) {
    // Some at the same moment.
    const createdAt = new Date(Date.UTC(2024, 0, 1) + Math.floor(i / 3) * 60_000).toISOString()
    const { version: _, updatedAt, ...given } = comment({ id: `c${i}`, createdAt, text: 'x'.repeat(2_000) })
    const rating = ((i % 5) + 1) as Comment['rating']
    oracle.put(await lapidary.comments.create({ ...given, rating, language: i % 2 ? 'en' : 'de' }))
  }
})
afterAll(() => dropTables(engine, [tableName]))

async function all(items: AsyncIterable<Comment>): Promise<string[]> {
  const ids: string[] = []
  for await (const { id } of items) ids.push(id)
  return ids
}

const idsOf = (items: readonly Comment[]): string[] => items.map(({ id }) => id)

describe('iterate', () => {
  test('gives every item of a query once and in order, whatever the size of pages and however many are read ahead', async () => {
    const query = fc.record({
      where: fc.record(
        {
          language: fc.constantFrom('en', 'de', 'fr'),
          rating: fc.uniqueArray(fc.constantFrom(...([1, 2, 3, 4, 5] as const)), { minLength: 1 }),
        },
        { requiredKeys: [] },
      ),
      order: fc.constantFrom('newest' as const, 'oldest' as const),
      limit: fc.constantFrom(1, 7, 100),
    })
    await fc.assert(
      fc.asyncProperty(query, fc.nat({ max: 3 }), async (asked, pagesAhead) => {
        const found = await all(lapidary.comments.iterate({ scope: '42', ...asked, pagesAhead }))
        expect(found).toEqual(idsOf(oracle.matching({ scope: '42', ...asked })))
      }),
      { seed, numRuns: 25 },
    )
  })

  test('goes on from a cursor', async () => {
    const query = { scope: '42', limit: PAGE } as const
    const { items, cursors } = await lapidary.comments.list(query)
    const rest = await all(lapidary.comments.iterate({ ...query, cursor: cursors.next ?? undefined }))
    expect([...idsOf(items), ...rest]).toEqual(idsOf(oracle.matching(query)))
  })

  test.each([0, 1, 2])('reads %i pages ahead, and none after it was left', async (pagesAhead) => {
    queries = 0
    for await (const _ of lapidary.comments.iterate({ scope: '42', limit: PAGE, pagesAhead })) {
      await new Promise((resolve) => setTimeout(resolve, 200))
      break
    }
    expect(queries).toBe(1 + pagesAhead)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(queries).toBe(1 + pagesAhead)
  })

  test('gives what its budget reads, then says where to go on', async () => {
    const query = { scope: '42', limit: PAGE } as const
    const found: string[] = []
    let runs = 0
    let cursor: string | undefined
    for (let more = true; more; runs++) {
      more = false
      try {
        for await (const { id } of lapidary.comments.iterate({ ...query, maxCapacity: 20, cursor })) found.push(id)
      } catch (error) {
        expect(error).toMatchObject({ code: 'capacity_exhausted', message: expect.stringContaining('maxCapacity 20') })
        const { details } = error as { readonly details: { readonly cursor: string } }
        cursor = details.cursor
        more = true
      }
    }
    expect(found).toEqual(idsOf(oracle.matching(query)))
    expect(runs).toBeGreaterThan(1)
  })

  test('ends with the reason of its signal', async () => {
    const stop = new AbortController()
    const found: string[] = []
    const iterating = (async () => {
      for await (const { id } of lapidary.comments.iterate({ scope: '42', limit: PAGE, signal: stop.signal })) {
        found.push(id)
        if (found.length === PAGE) stop.abort(new Error('enough'))
      }
    })()
    await expect(iterating).rejects.toThrow('enough')
    expect(found).toEqual(idsOf(oracle.matching({ scope: '42' })).slice(0, PAGE))
  })

  test.each([
    [{ pagesAhead: 11 }, 'pagesAhead: must be a whole number from 0 to 10, not 11'],
    [{ pagesAhead: 0.5 }, 'pagesAhead: must be a whole number from 0 to 10, not 0.5'],
    [{ maxCapacity: 0 }, 'maxCapacity: must be a number above 0, not 0'],
    [{ cursor: 'made up' }, 'cursor'],
    [{ limit: 101 }, 'limit'],
  ])('refuses %j before it reads', async (given, message) => {
    queries = 0
    await expect(all(lapidary.comments.iterate({ scope: '42', ...given }))).rejects.toThrow(message)
    expect(queries).toBe(0)
  })
})
