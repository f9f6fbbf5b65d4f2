import { PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { defineCollection, type Item, indexes, nativeKeys, oneOf } from 'lapidary'
import { describe, expect, test } from 'vitest'
import { testEngines } from '../../../test/engines/index.ts'
import { collect } from './collect.ts'
import { schemaOf } from './comments-fixture.ts'
import { openTestTable } from './test-table.ts'

interface File {
  readonly id: string
  readonly folder: string
  readonly at: string
  readonly kind: string
}

const files = defineCollection({
  name: 'FILE',
  schema: schemaOf<File>(),
  id: 'id',
  idOrder: 'raw',
  scope: { name: 'FOLDER', attribute: 'folder' },
  order: 'at',
  facets: { kind: oneOf() },
})
const at = '2026-01-01T00:00:00.000Z'
const file = (id: string): File => ({ id, folder: 'f', at, kind: 'a' })

describe.each(testEngines())('long ids that sort as they are, on $name', (engine) => {
  test.each([
    ['indexes', indexes()],
    ...(engine.name === 'embedded' ? [] : [['native keys', nativeKeys()] as const]),
  ] as const)('are listed both ways, or refused at the write with the numbers: %s', async (_, layout) => {
    await using table = await openTestTable(engine, { files }, { layout })
    const { files: client } = table.lapidary
    const made: string[] = []
    const refused: Item[] = []
    for (const end of ['', 'a', 'b'])
      for (const units of [1, 100, 250, 320, 325, 328, 330, 331, 332, 333, 334, 340, 500]) {
        const id = `${'\u20ac'.repeat(units)}${end}`
        try {
          await client.create(file(id))
          made.push(id)
        } catch (error) {
          refused.push({ id, error })
        }
      }
    made.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    const ids = async (order: 'newest' | 'oldest', limit: number) =>
      (await collect(client.iterate({ scope: 'f', where: { kind: 'a' }, order, limit }))).map(({ id }) => id)
    for (const limit of [1, 7, 100]) {
      expect(await ids('oldest', limit)).toEqual(made)
      expect(await ids('newest', limit)).toEqual(made.toReversed())
      const within = client.iterate({ scope: 'f', from: at, to: '2026-01-02T00:00:00.000Z', limit })
      expect((await collect(within)).map(({ id }) => id)).toEqual(made.toReversed())
    }
    expect(made.length).toBeGreaterThan(20)
    expect(refused.length).toBeGreaterThan(2)
    for (const { error } of refused)
      expect(error).toMatchObject({
        code: 'unprocessable',
        message: expect.stringMatching(/\d{4} bytes.* DynamoDB takes 1024/s),
      })
  })
})

test.each(testEngines())(
  'on $name a new key leaves room for the bounds of pages, and an old one that does not can be changed',
  async (engine) => {
    await using table = await openTestTable(engine, { files })
    const { client, tableName, lapidary } = table
    const longest = await longestId((id) => lapidary.files.create(file(id)))
    await expect(lapidary.files.create(file(`${longest}x`))).rejects.toMatchObject({
      code: 'unprocessable',
      message: expect.stringContaining('would have 1021 bytes'),
    })
    const { Items = [] } = await client.send(new ScanCommand({ TableName: tableName, ConsistentRead: true }))
    const stored = Items.find((entry) => JSON.stringify(entry).includes(longest))
    // As it was written when keys of up to 1,024 bytes were taken.
    const older = `${longest}xxxx`
    const Item = JSON.parse(JSON.stringify(stored).replaceAll(longest, older))
    await client.send(new PutItemCommand({ TableName: tableName, Item }))
    await lapidary.files.patch(older, { kind: 'b' })
    expect(await lapidary.files.get(older)).toMatchObject({ kind: 'b' })
    const { items } = await lapidary.files.list({ scope: 'f', where: { kind: 'b' } })
    expect(items).toMatchObject([{ id: older }])
    await lapidary.files.delete(older)
    await expect(lapidary.files.get(older)).rejects.toMatchObject({ code: 'not_found' })
  },
)

/** The longest id that is taken. */
async function longestId(create: (id: string) => Promise<unknown>): Promise<string> {
  // Characters of three bytes each, as an id has a limit of characters too.
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
