import { layoutNamed } from 'lapidary'
import { describe, expect, test } from 'vitest'
import { LAYOUTS, useTestApp, WRITER } from '../test-app.ts'

/** What the panel says of the same filter, by layout: several lists merged, or the one list that is kept for it. */
const READ = { indexes: /MERGE BY position/, 'power-set': /lists\[42\/en\/1\.3\] BY position/ }

describe.each(LAYOUTS)('the page on the layout %s', (name) => {
  const { ask, send } = useTestApp(undefined, layoutNamed(name))

  test('names its layout, and the plan panel shows how it reads', async () => {
    for (const rating of [1, 3, 3, 5]) {
      const comment = { language: 'en', rating, title: '', text: 'Sharp.', author: 'Wren' }
      await send('POST', '/products/42/comments', comment, { authorization: `Bearer ${WRITER}` })
    }
    const { body } = await ask('/p/42?language=en&rating=1&rating=3', { headers: { accept: 'text/html' } })
    expect(String(body)).toContain(`<b>${name}</b>`)
    const { body: page } = await ask('/products/42/comments?language=en&rating=1&rating=3&explain=true')
    const { text } = (page as { plan: { text: string } }).plan
    expect(text).toMatch(READ[name as keyof typeof READ])
    // The panel says the same as the plan.
    const [lists = ''] = text.split(' BY position')
    expect(String(body)).toContain(lists.replace(' MERGE', ''))
  })
})
