import type { StandardSchemaV1 } from '@standard-schema/spec'
import { anyOf, createLapidary, defineCollection, oneOf, segments } from 'lapidary'
import { createSdkClient, dropTables, testEngines, uniqueTableName } from '../engines/index.ts'

/** Makes what a prelude of the examples declares: a database of its own on the embedded engine, with a few comments. */
export async function enterExampleWorld(): Promise<AsyncDisposable> {
  const [engine] = testEngines()
  if (engine === undefined) throw new Error('there is no engine')
  const client = createSdkClient(engine)
  const tableName = uniqueTableName()
  const cursorSecret = 'of the examples alone'
  const lapidary = createLapidary({
    ...{ client, tableName, collections: { comments }, cursorSecret },
    ...{ derived: { counts: true, pages: segments() }, stream: { immediate: true } },
  })
  await lapidary.table.create()
  for (let i = 1; i <= 5; i++)
    await lapidary.comments.create({ ...comment, id: `10000${i}`, rating: i as 1 | 2 | 3 | 4 | 5 })
  const world = {
    ...{ client, endpoint: engine.endpoint, tableName, cursorSecret, cursor: undefined, random: Math.random },
    ...{ lapidary, comments, comment, commentSchema, orderSchema: commentSchema },
  }
  Object.assign(globalThis, world)
  return {
    async [Symbol.asyncDispose]() {
      for (const name of Object.keys(world)) Reflect.deleteProperty(globalThis, name)
      await dropTables(client, [tableName])
    },
  }
}

type Comment = typeof comment

const comment = {
  ...{ id: '100009', productId: '42', language: 'en', rating: 5 as 1 | 2 | 3 | 4 | 5, title: 'Sharp', text: 'Good.' },
  ...{ author: 'Ann', createdAt: '2020-11-09T12:00:00.123Z', updatedAt: null as string | null, version: 1 },
}

const commentSchema: StandardSchemaV1<unknown, Comment> = {
  '~standard': { version: 1, vendor: 'lapidary', validate: (value) => ({ value: value as Comment }) },
}

const comments = defineCollection({
  name: 'COMMENT',
  schema: commentSchema,
  id: 'id',
  scope: { name: 'PRODUCT', attribute: 'productId' },
  order: 'createdAt',
  facets: { language: oneOf(), rating: anyOf([1, 2, 3, 4, 5]) },
  version: 'version',
  updatedAt: 'updatedAt',
  leaderboards: { 'five-star': { where: { rating: [5] } } },
})
