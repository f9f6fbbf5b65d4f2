import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { anyOf, createLapidary, defineCollection, type LayoutName, layoutNamed, oneOf, segments } from 'lapidary'
import { importItems } from 'lapidary/transfer'
import { openEngine } from 'lapidary-engine'
import { describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { PATIENCE } from '../../../test/engines/patience.ts'
import type { Comment } from '../src/comment.ts'
import { generateComments } from '../src/demo/generate-comments.ts'
import { start } from './server-process.ts'
import { readAnswer } from './test-app.ts'

/** The collection as it was before there were votes, verified purchases and answers. */
const earlier = defineCollection({
  name: 'COMMENT',
  schema: z.strictObject({
    ...{ id: z.string(), productId: z.string(), language: z.string(), rating: z.int().min(1).max(5) },
    ...{ title: z.string(), text: z.string(), author: z.string(), createdAt: z.string() },
    ...{ updatedAt: z.string().nullable(), version: z.int().min(1) },
  }),
  id: 'id',
  scope: { name: 'PRODUCT', attribute: 'productId' },
  order: 'createdAt',
  facets: {
    language: oneOf(),
    rating: anyOf([1, 2, 3, 4, 5], { frequencies: { 5: 0.55, 4: 0.2, 3: 0.08, 2: 0.05, 1: 0.12 } }),
  },
  leaderboards: { 'five-star': { where: { rating: [5] } } },
  version: 'version',
  updatedAt: 'updatedAt',
  attributes: {
    ...{ id: 'i', productId: 'p', language: 'l', rating: 'r', title: 't', text: 'x', author: 'a' },
    ...{ createdAt: 'c', updatedAt: 'u', version: 'v' },
  },
})

const TOKEN = 'the-admin-token-1'
const COMMENTS = 400

function asBefore({ helpful, verified, attached, answered, person, ...comment }: Comment) {
  return comment
}

describe.each(['indexes', 'power-set'] as const)('a data folder of an earlier version, by %s', (name: LayoutName) => {
  test('is brought up to date at the start, and then answers right in every order and filter', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'earlier-table-'))
    try {
      const comments = [...generateComments({ products: 3, comments: name === 'indexes' ? COMMENTS : 60, seed: 7 })]
      await fillAsBefore(dataDir, name, comments)
      const server = await start({ DATA_DIR: dataDir, ADMIN_TOKEN: TOKEN, LAYOUT: name })
      const ask = async (path: string) => readAnswer(await fetch(`${server.address}${path}`))
      const own = comments.filter(({ productId }) => productId === '42')
      const ids = (items: readonly { id: string }[]): string[] => items.map(({ id }) => id)
      const byId = (a: Comment, b: Comment): number => (a.id < b.id ? 1 : -1)
      const newest = own.toSorted((a, b) =>
        a.createdAt === b.createdAt ? byId(a, b) : a.createdAt < b.createdAt ? 1 : -1,
      )
      const list = await ask('/products/42/comments?limit=100')
      expect(ids(list.body.items)).toEqual(ids(newest.slice(0, 100)))
      expect(list.body.items[0]).toMatchObject({
        ...asBefore(newest[0] as Comment),
        helpful: 0,
        verified: false,
        answer: null,
      })
      expect(ids((await ask('/products/42/comments?order=helpful&limit=100')).body.items)).toEqual(
        ids(own.toSorted(byId).slice(0, 100)),
      )
      const highest = own.toSorted((a, b) => b.rating - a.rating || byId(a, b))
      expect(ids((await ask('/products/42/comments?order=highest&limit=100')).body.items)).toEqual(
        ids(highest.slice(0, 100)),
      )
      expect((await ask('/products/42/comments?answered=true')).body.items).toEqual([])
      // Counts and page numbers of the new declaration are made in the background.
      await vi.waitUntil(async () => {
        const { body } = await ask('/products/42/comments?verified=false&order=lowest&limit=7&page=3')
        return body.page?.total === own.length && body.items.length > 0 && body.facets !== null
      }, PATIENCE)
      const third = (await ask('/products/42/comments?verified=false&order=lowest&limit=7&page=3')).body
      expect(ids(third.items)).toEqual(ids(highest.toReversed().slice(14, 21)))
      expect(third.facets.verified).toEqual({ true: 0, false: own.length })
      const page = await fetch(`${server.address}/p/42`)
      expect([page.status, (await page.text()).includes('Newest first')]).toEqual([200, true])
      expect(await server.end()).toBe(0)
      // The second start finds nothing to do.
      const again = await start({ DATA_DIR: dataDir, ADMIN_TOKEN: TOKEN, LAYOUT: name })
      expect(again.log()).not.toContain('earlier version')
      expect(await again.end()).toBe(0)
    } finally {
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    }
  }, 240_000)
})

async function fillAsBefore(dataDir: string, name: LayoutName, comments: readonly Comment[]): Promise<void> {
  const engine = await openEngine({ dataDir })
  const client = new DynamoDBClient(engine.clientConfig)
  try {
    const lapidary = createLapidary({
      ...{ client, tableName: 'comments', collections: { comments: earlier }, layout: layoutNamed(name) },
      cursorSecret: 'a secret of the tests',
      derived: { counts: true, pages: segments() },
      stream: { immediate: true },
    })
    await lapidary.table.create()
    const { failed, rejected } = await importItems(lapidary.comments as never, comments.map(asBefore))
    expect([failed, rejected]).toEqual([0, 0])
    await lapidary.stream.catchUp()
    expect((await lapidary.comments.count({ scope: '42' })).total).toBeGreaterThan(0)
  } finally {
    client.destroy()
    await engine.close()
  }
}
