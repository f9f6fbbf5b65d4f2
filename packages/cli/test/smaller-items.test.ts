import { existsSync, statSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CliHome, openCliHome } from './run-cli.ts'

let home: CliHome
beforeAll(async () => {
  home = await openCliHome()
  await home.run(['generate', '--products', '3', '--comments', '300', '--seed', '7'])
})
afterAll(() => home[Symbol.asyncDispose]())

test('a dictionary is made of the table, items are written with it, and show tells them legibly', async () => {
  const dictionary = home.file('comments.dict')
  const trained = await home.run(['train-dictionary', dictionary, '--bytes', '8192', '--json'])
  expect(JSON.parse(trained.stdout)).toMatchObject({ learnedFrom: 240, triedOn: 60 })
  expect(JSON.parse(trained.stdout).share).toBeLessThan(0.6)
  expect(statSync(dictionary).size).toBeLessThanOrEqual(8192)
  const again = await home.run(['train-dictionary', dictionary])
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('exists already; items may need it')])

  const config = home.file('lapidary.config.ts')
  const root = new URL('../../../', import.meta.url)
  writeFileSync(
    config,
    `import { deflated } from '${new URL('packages/lapidary/dist/codecs/index.js', root)}'
     import { comments } from '${new URL('apps/comments/dist/comment.js', root)}'
     const codec = deflated({ dictionaries: [process.env.DICTIONARY ?? ''] })
     // Of a seventh index, what is packed would be more than indexes may project.
     const { byLanguageByHelpful: _, ...indexes } = comments.indexes
     export default { tableName: 'packed', collections: { comments: { ...comments, codec, indexes } } }`,
  )
  const flags = ['--config', config, '--table-name', 'packed']
  const env = { DICTIONARY: dictionary }
  const exported = home.file('comments.jsonl')
  await home.run(['export', exported])
  const imported = await home.run(['import', exported, ...flags], { env })
  expect([imported.code, imported.stderr]).toEqual([0, expect.any(String)])
  const listed = JSON.parse((await home.run(['list', '--scope', '42', '--json', ...flags], { env })).stdout)
  const { id } = listed.items[0]
  const shown = JSON.parse((await home.run(['show', id, '--json', ...flags], { env })).stdout)
  // A list has what the indexes hold of it.
  expect(shown.item).toMatchObject(listed.items[0])
  expect(shown.stored).toContainEqual({
    ...{ name: '~p', bytes: expect.any(Number) },
    form: expect.stringMatching(/^packed \(CBOR\) and deflated with dictionary [0-9a-f]{8}$/),
  })
  const { stdout } = await home.run(['show', id, ...flags], { env })
  expect(stdout).toContain(JSON.stringify(shown.item.text))
  expect(stdout).toMatch(/\d+ bytes in the table/)
})

test('a dictionary that is not there is said with what to do', async () => {
  const config = home.file('lapidary.config.ts')
  expect(existsSync(config)).toBe(true)
  const { code, stderr } = await home.runAlone(['list', '--scope', '42', '--config', config], {
    env: { DICTIONARY: home.file('gone.dict') },
  })
  expect(code).toBe(1)
  expect(stderr).toMatch(/there is no dictionary .*train-dictionary/)
})

test('an item that does not exist', async () => {
  const { code, stderr } = await home.run(['show', 'nothing'])
  expect([code, stderr]).toEqual([1, expect.stringContaining('nothing')])
})
