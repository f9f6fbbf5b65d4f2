import { createLapidary, type Layout, nativeKeys, powerSet } from 'lapidary'
import { startStudio } from 'lapidary-studio'
import { expect, it } from 'vitest'
import { commentsIn } from '../../../apps/comments/src/comment.ts'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../test/engines/index.ts'

const engines = testEngines()
const comment = (i: number) => ({
  ...{ id: `c${i}`, productId: '42', language: i % 2 === 0 ? 'en' : 'de', rating: (i % 5) + 1, title: 'Fine' },
  ...{ text: `It is the ${i}th.`, author: 'Ada', createdAt: new Date(Date.UTC(2026, 0, 1, i)).toISOString() },
})

it.each<[string, Layout, string]>([
  ['power-set', powerSet(), 'embedded'],
  // The embedded engine can't query keys of several attributes.
  ['native-keys', nativeKeys(), 'dynamodb-local'],
])(
  'items of a table with the layout %s are listed, drawn in their lists, changed and deleted',
  async (name, layout, on) => {
    const engine = engines.find((each) => each.name === on)
    // A mutation run starts the embedded engine alone.
    if (engine === undefined) throw new Error(`the tests of layouts need ${on}`)
    const client = createTestClient(engine)
    const tableName = uniqueTableName()
    const comments = commentsIn(name)
    const cursorSecret = 'a secret for the tests'
    const lapidary = createLapidary({ client, tableName, collections: { comments }, cursorSecret, layout })
    try {
      await lapidary.table.create()
      for (let i = 0; i < 12; i++) await lapidary.comments.create(comment(i))
      await using studio = await startStudio({
        ...{ database: lapidary, place: 'an engine of the tests' },
        collections: { comments: { collection: comments, client: lapidary.comments as never } },
      })
      const { origin } = new URL(studio.url)
      const entered = await fetch(studio.url, { redirect: 'manual' })
      const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? ''
      const get = async (path: string): Promise<string> => (await fetch(origin + path, { headers: { cookie } })).text()
      const post = (path: string, form: Readonly<Record<string, string>>) =>
        fetch(origin + path, {
          ...{ method: 'POST', redirect: 'manual', headers: { cookie, origin }, body: new URLSearchParams(form) },
        })
      const listed = await get('/c/comments?scope=42&is.language=en&is.rating=1&is.rating=5')
      expect([...listed.matchAll(/item\?id=(c\d+)/g)].map(([, id]) => id)).toEqual(['c10', 'c4', 'c0'])
      const { layout: own, codec } = lapidary.comments.context
      const stored = await lapidary.comments.get('c4')
      const entries = own.entriesOf(stored as never, codec.toEntry(stored as never))
      const page = await get('/c/comments/item?id=c4')
      expect(page).toContain('In ')
      expect([...page.matchAll(/class="list-row"/g)].length).toBeGreaterThanOrEqual(Math.min(entries.length, 3))
      expect(page).not.toMatch(/list-row-bad|missing in the table/)
      const seen = /name="seen" value="([^"]+)"/.exec(page)?.[1] ?? ''
      const saved = await post('/c/comments/item?id=c4', { seen, item: JSON.stringify({ ...stored, rating: 2 }) })
      expect(saved.headers.get('location')).toContain('done=saved')
      expect(await get('/c/comments?scope=42&is.language=en&is.rating=2')).toContain('item?id=c4')
      const again = /name="seen" value="([^"]+)"/.exec(await get('/c/comments/delete?id=c4'))?.[1] ?? ''
      expect((await post('/c/comments/delete?id=c4', { seen: again })).status).toBe(303)
      expect(await get('/c/comments?scope=42')).not.toContain('item?id=c4"')
    } finally {
      await dropTables(client, [tableName])
    }
  },
)
