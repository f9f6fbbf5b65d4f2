import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CliHome, openCliHome } from './run-cli.ts'

describe('lapidary leaderboard', () => {
  let home: CliHome
  beforeAll(async () => {
    home = await openCliHome()
    const comment = (id: number, productId: string, language: string, rating: number): string =>
      JSON.stringify({ id: String(id), productId, language, rating, title: '', text: 't', author: 'a' })
    const lines = [
      ...['x', 'x', 'y', 'z'].map((product, i) => comment(i, product, 'en', 5)),
      ...['y', 'y'].map((product, i) => comment(10 + i, product, 'de', 5)),
      comment(20, 'w', 'en', 4),
    ]
    writeFileSync(home.file('comments.jsonl'), lines.join('\n'))
    await home.run(['import', home.file('comments.jsonl'), '--derived', 'now'])
  })
  afterAll(() => home[Symbol.asyncDispose]())

  it('lists scopes by rank, of all items and of one value, page after page', async () => {
    const all = await home.run(['leaderboard', 'five-star'])
    expect(all).toMatchObject({ code: 0, stderr: '' })
    expect(all.stdout).toMatch(
      /^rank {2}productId {2}count\n.*\n {3}1 {2}y .* 3\n {3}2 {2}x .* 2\n {3}3 {2}z .* 1\n\n3 scopes of five-star; /,
    )
    const english = JSON.parse(
      (await home.run(['leaderboard', 'five-star', '--where', 'language=en', '--json'])).stdout,
    )
    expect(english.entries).toEqual([
      { scope: 'x', count: 2, rank: 1 },
      { scope: 'y', count: 1, rank: 2 },
      { scope: 'z', count: 1, rank: 2 },
    ])
    const first = await home.run(['leaderboard', 'five-star', '--limit', '2'])
    const cursor = /--cursor (\S+)/.exec(first.stdout)?.[1] ?? ''
    const second = await home.run(['leaderboard', 'five-star', '--limit', '2', '--cursor', cursor, '--json'])
    expect(JSON.parse(second.stdout).entries).toEqual([{ scope: 'z', count: 1, rank: 3 }])
  })

  it('says that a board is not known, and what makes it', async () => {
    const table = ['--table-name', 'uncounted']
    await home.run(['import', home.file('comments.jsonl'), '--derived', 'later', ...table])
    expect((await home.run(['leaderboard', 'five-star', ...table])).stdout).toMatch(/^not known: .*; 0\.5 RCU\n$/)
  })

  it.each([
    ['a board that there is none of', ['six'], 'there is no leaderboard "six"; declared: five-star'],
    [
      'a facet that is not counted',
      ['five-star', '--where', 'rating=5'],
      'rating is not a oneOf facet that is counted',
    ],
    ['a value of nothing', ['five-star', '--where', 'language'], '--where "language" is not facet=value'],
    [
      'a value twice',
      ['five-star', '--where', 'language=en', '--where', 'language=de'],
      'language is asked for more than once',
    ],
    ['too many', ['five-star', '--limit', '101'], 'It takes a whole number, from 1 to 100.'],
  ])('tells %s as wrong usage', async (_, args, message) => {
    const { code, stderr } = await home.run(['leaderboard', ...args])
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
  })
})
