import { expect, it } from 'vitest'
import { openCliHome } from './run-cli.ts'

const GENERATE = ['generate', '--products', '3', '--seed', '3', '--comments']

it('a large import into a table of which nothing was ever counted makes all that is derived', async () => {
  await using home = await openCliHome()
  const generated = await home.run([...GENERATE, '1000', '--json'])
  expect(JSON.parse(generated.stdout)).toMatchObject({ written: 1_000, pending: 0, counted: true })
  expect(generated.stderr).toContain('making counts, leaderboards and page numbers')
  const verified = await home.run(['verify', '--json'])
  expect(JSON.parse(verified.stdout)).toMatchObject({
    items: 1_000,
    differenceCount: 0,
    behind: false,
    notVerified: [],
  })
  expect(verified.code).toBe(0)

  // Of this table something is counted: what follows the stream goes on with it.
  await home.run(['export', home.file('items.jsonl')])
  const again = await home.run(['import', home.file('items.jsonl'), '--on-conflict', 'replace', '--json'])
  expect(JSON.parse(again.stdout)).toMatchObject({ written: 1_000, counted: false })
})

it('the command may say when', async () => {
  await using home = await openCliHome()
  const later = await home.run([...GENERATE, '1000', '--derived', 'later', '--json'])
  expect(JSON.parse(later.stdout)).toMatchObject({ written: 1_000, pending: 1_000, counted: false })
  await home.run(['export', home.file('items.jsonl')])
  const now = await home.run([
    'import',
    home.file('items.jsonl'),
    '--on-conflict',
    'skip',
    '--derived',
    'now',
    '--json',
  ])
  expect(JSON.parse(now.stdout)).toMatchObject({ written: 0, skipped: 1_000, pending: 0, counted: true })
  const wrong = await home.run(['import', home.file('items.jsonl'), '--derived', 'soon'])
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('now, later')])
})

it('rebuild all makes counts and the page index together', async () => {
  await using home = await openCliHome()
  await home.run([...GENERATE, '40'])
  const rebuilt = await home.run(['rebuild', 'all', '--json'])
  expect(JSON.parse(rebuilt.stdout)).toMatchObject({ items: 40, pending: 0, gaps: [] })
  const verified = await home.run(['verify', '--json'])
  expect(JSON.parse(verified.stdout)).toMatchObject({ differenceCount: 0, behind: false, notVerified: [] })
})
