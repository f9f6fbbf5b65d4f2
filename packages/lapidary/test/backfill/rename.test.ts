import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import { createLapidary, defineCollection, oneOf, type StoredAttribute } from 'lapidary'
import { describe, expect, test } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import { schemaOf } from '../comments-fixture.ts'
import { fastClock } from './shop.ts'

type Note = {
  readonly id: string
  readonly shelf: string
  readonly at: string
  readonly kind: string
  readonly text?: string
}

/** Notes whose text is stored under some name. */
const notesWith = (text: StoredAttribute) =>
  defineCollection({
    ...{ name: 'NOTE', schema: schemaOf<Note>(), id: 'id', order: 'at' },
    scope: { name: 'SHELF', attribute: 'shelf' },
    facets: { kind: oneOf(['a', 'b']) },
    attributes: { id: 'i', shelf: 'f', at: 'c', kind: 'y', text },
  })

/** Each is deployed while processes of the one before still run. */
const STAGES: readonly StoredAttribute[] = [
  { name: 'x', shownIn: 'lookup' },
  { name: 'x', also: 'text', shownIn: 'lookup' },
  { name: 'text', also: 'x', shownIn: 'lookup' },
  { name: 'text', shownIn: 'lookup' },
]

describe.each(testEngines())('a renamed stored attribute on $name', (engine) => {
  test('is right in every process, one stage beside the next, with a backfill after each', async () => {
    const client = createTestClient(engine)
    const tableName = uniqueTableName()
    const stages = STAGES.map((text) =>
      createLapidary({
        ...{ client, tableName, collections: { notes: notesWith(text) }, clock: fastClock },
        cursorSecret: 'a secret of the tests',
      }),
    )
    await stages[0]?.table.create()
    const texts = new Map<string, string | undefined>()
    const at = new Date(0).toISOString()
    try {
      for (let stage = 0; stage < stages.length; stage++) {
        const running = stages.slice(Math.max(0, stage - 1), stage + 1).map(({ notes }) => notes)
        for (let i = 0; i < 12; i++) {
          const notes = running[i % running.length]
          const id = `${stage}-${i}`
          await notes?.create({ id, shelf: 's', at, kind: 'a', text: `first ${id}` })
          texts.set(id, `first ${id}`)
          // The two processes take turns: what one has written the other changes or removes.
          const before = `${stage}-${i - 1}`
          if (i % 3 === 0 || !texts.has(before)) continue
          const text = i % 3 === 1 ? `changed ${id}` : undefined
          await notes?.patch(before, { text } as Partial<Note>)
          texts.set(before, text)
        }
        for (const notes of running)
          for (const [id, text] of texts) expect((await notes.get(id)).text, `${id} in stage ${stage}`).toBe(text)
        // The old processes have ended.
        expect((await stages[stage]?.table.backfill())?.complete).toBe(true)
      }
      const Key = { PK: { S: 'NOTE#0-0' }, SK: { S: '~' } }
      const { Item } = await client.send(new GetItemCommand({ TableName: tableName, Key }))
      expect(Item?.text?.S).toBe(texts.get('0-0'))
    } finally {
      await dropTables(client, [tableName])
    }
  })
})
