import { PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { anyOf, defineCollection } from 'lapidary'
import { expect, test } from 'vitest'
import { testEngines } from '../../../test/engines/index.ts'
import { schemaOf } from './comments-fixture.ts'
import { openTestTable } from './test-table.ts'

type Thing = { readonly id: string; readonly parent: string; readonly at: string; readonly kind: 'a' | 'b' }

const things = defineCollection({
  name: 'THING',
  schema: schemaOf<Thing>(),
  id: 'id',
  idOrder: 'raw',
  scope: { name: 'PARENT', attribute: 'parent' },
  order: 'at',
  facets: { kind: anyOf(['a', 'b']) },
})

const thing = (id: string): Thing => ({ id, parent: 'p', at: '2026-01-01T00:00:00.000Z', kind: 'a' })

test.each(testEngines())(
  'on $name a new key leaves room for the bounds of pages, and an old one that does not can be changed',
  async (engine) => {
    await using table = await openTestTable(engine, { things })
    const { client, tableName, lapidary } = table
    const longest = await longestId((id) => lapidary.things.create(thing(id)))
    await expect(lapidary.things.create(thing(`${longest}x`))).rejects.toMatchObject({
      code: 'unprocessable',
      message: expect.stringContaining('would have 1021 bytes'),
    })
    const { Items = [] } = await client.send(new ScanCommand({ TableName: tableName, ConsistentRead: true }))
    const stored = Items.find((entry) => JSON.stringify(entry).includes(longest))
    // As it was written when keys of up to 1,024 bytes were taken.
    const older = `${longest}xxxx`
    const Item = JSON.parse(JSON.stringify(stored).replaceAll(longest, older))
    await client.send(new PutItemCommand({ TableName: tableName, Item }))
    await lapidary.things.patch(older, { kind: 'b' })
    expect(await lapidary.things.get(older)).toMatchObject({ kind: 'b' })
    const { items } = await lapidary.things.list({ scope: 'p', where: { kind: ['b'] } })
    expect(items).toMatchObject([{ id: older }])
    await lapidary.things.delete(older)
    await expect(lapidary.things.get(older)).rejects.toMatchObject({ code: 'not_found' })
  },
)

/** The longest id that is taken. */
async function longestId(create: (id: string) => Promise<unknown>): Promise<string> {
  // Of three bytes each, as an id has a limit of characters too.
  for (let bytes = 1_010; bytes > 900; bytes--) {
    const id = '€'.repeat(Math.floor(bytes / 3)) + 'x'.repeat(bytes % 3)
    const isTaken = await create(id).then(
      () => true,
      () => false,
    )
    if (isTaken) return id
  }
  throw new Error('no id is taken')
}
