import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CliHome, openCliHome } from './run-cli.ts'

/** One export, how it is imported, and what comes of it. */
interface Export {
  readonly file: string
  readonly flags: readonly string[]
  /** Items by their text or title. */
  readonly taken: Readonly<Record<string, object>>
  /** What is told of each refused line. */
  readonly refused: readonly string[]
}

/** The columns are those of each export's public documentation; the reviews are made up. */
const EXPORTS: readonly Export[] = [
  {
    file: 'woocommerce.csv',
    flags: ['--preset', 'woocommerce', '--set', 'language=en'],
    taken: {
      'Great hoodie, warm and soft.': {
        ...{ id: '2101', productId: 'hoodie-blue', rating: 5, title: 'Love it', author: 'Maria Gonzalez' },
        createdAt: '2023-05-04T09:12:13.000Z',
      },
      'Runs small.\nOrder one size up!': { id: '2102', rating: 3, title: '', createdAt: '2023-05-06T18:01:44.000Z' },
      'The zip broke after a week, and "support" never answered.': { id: '2103', author: 'O\'Neill, "Red"' },
      'Hält was es verspricht 👍': { id: '2106', productId: 'cap', author: 'Jürgen Müller', language: 'en' },
    },
    refused: ['line 6: rating is empty: ', 'line 7: is hidden where it comes from: comment_approved is "spam"'],
  },
  {
    file: 'judgeme.csv',
    flags: ['--preset', 'judgeme', '--set', 'language=en'],
    taken: {
      'Beautiful weight, washes well.': {
        ...{ productId: '7421998432', rating: 5, title: 'Perfect weight', author: 'Maya R.' },
        createdAt: '2024-02-11T08:15:30.000Z',
      },
      'Smaller than expected but the colour is right.': { rating: 4, title: '', author: 'Ben' },
      'Torn at the seam, sent back.': { rating: 1, title: 'Came torn', createdAt: '2024-03-07T16:45:00.000Z' },
    },
    refused: [
      'line 4: is hidden where it comes from: curated is "not-yet"',
      'line 5: is hidden where it comes from: curated is "spam"',
      'line 6: column "product_handle" (productId) is empty: ',
    ],
  },
  {
    file: 'yotpo.csv',
    flags: ['--preset', 'yotpo', '--set', 'language=en'],
    taken: {
      'The softest blanket, my cat agrees.': {
        ...{ id: '512340001', productId: '9001', rating: 5, title: 'So soft', author: 'Ana P.' },
        createdAt: '2022-11-25T14:03:11.000Z',
      },
      'Nice but sheds a little': { id: '512340002', rating: 4 },
      'They had a hole after two weeks, see photo': { id: '512340004', productId: '9002', rating: 2 },
    },
    refused: [
      'line 4: is hidden where it comes from: Review Status is "Rejected"',
      'line 6: is hidden where it comes from: Review Status is "Pending"',
      'line 7: column "Review Creation Date" (createdAt) "12/05/2022": must be an ISO 8601 time like 2020-11-09T12:00:00.123Z; has a day and a month in an order that nothing tells; --dates \'M/d/yyyy\' or --dates \'d/M/yyyy\' reads it',
    ],
  },
  {
    file: 'trustpilot.csv',
    flags: ['--preset', 'trustpilot', '--zone', 'America/New_York'],
    taken: {
      // The column says UTC, whatever zone others are in.
      'Clean, friendly and open late.': {
        ...{ id: '63b1f0a9f1d2', productId: 'www.example-gym.com', rating: 5, language: 'en', author: 'Sarah K' },
        createdAt: '2023-01-02T10:00:00.000Z',
      },
      'Ingen svarer på telefonen': { rating: 1, language: 'da', title: 'Dårlig service' },
      'Bom, mas caro': { rating: 4, language: 'pt-br', author: 'João' },
    },
    refused: ['line 5: column "Review Content" (text) is empty: '],
  },
  {
    file: 'google-play.csv',
    flags: ['--preset', 'google-play'],
    taken: {
      'Simple, fast, no ads': {
        ...{ id: 'gp:AOqpTOE1', productId: 'com.example.notes', rating: 5, title: '', author: 'A Google user' },
        createdAt: '2023-10-01T07:26:40.000Z',
      },
      'Podia ter mais cores 🎨': { id: 'gp:AOqpTOE2', language: 'pt-br', rating: 3, title: 'Bom' },
      '同期できません。\n再起動しても同じ': { id: 'gp:AOqpTOE3', language: 'ja', rating: 1 },
    },
    refused: ['line 4: column "Review Text" (text) is empty: '],
  },
  {
    file: 'app-store.json',
    flags: ['--preset', 'app-store', '--set', 'language=en', '--set', 'productId=1234567890'],
    taken: {
      'I use it every day.\nNever crashed.': {
        ...{ id: '00000002-8a3c-4c1d-9d39-a1b2c3d4e5f6', productId: '1234567890', rating: 5, author: 'runner_77' },
        createdAt: '2023-09-18T12:12:44.000Z',
      },
      'Sync "forgets" my lists [again]': { rating: 2, title: 'Sync', author: 'Élodie' },
    },
    refused: ['item 3 in line 33: column "attributes.rating" (rating) is empty: '],
  },
  {
    file: 'amazon.tsv',
    flags: ['--preset', 'amazon'],
    taken: {
      'Excellent!!!': {
        ...{ id: 'RDIJS7QYB6XNR', productId: 'B00EDBY7X8', rating: 5, language: 'en', author: '18778586' },
        createdAt: '2015-08-31T00:00:00.000Z',
      },
      // Quotes are text in this file.
      '"Good" tracks at 5" each<br />would buy again': { id: 'R36ED1U38IELG8', title: 'Good quality track' },
      '"Die Karten sind nicht so gross': { language: 'de', rating: 2, title: '"Gross"' },
      良くない: { language: 'ja', rating: 1 },
    },
    refused: ['line 5: column "star_rating" (rating) is empty: '],
  },
  {
    file: 'amazon-scraped.csv',
    flags: ['--preset', 'amazon', '--set', 'language=en'],
    taken: {
      'Set up in two minutes, works great.': {
        ...{ productId: 'B07XJ8C8F5', rating: 5, title: 'Works great', author: 'Kindle Customer' },
        ...{ createdAt: '2021-03-03T00:00:00.000Z', verified: true, helpful: 12 },
      },
      'Gut, aber laut.': { rating: 4, verified: true, helpful: 0, createdAt: '2021-02-14T00:00:00.000Z' },
      'Stopped after a week.': { rating: 2, createdAt: '2021-01-02T00:00:00.000Z' },
      'Solid "budget" choice': { rating: 4, createdAt: '2020-12-24T00:00:00.000Z' },
    },
    refused: [
      'line 6: rating "five": Invalid input: expected number, received string; it takes 1, 2, 3, 4, 5, also as "5.0 out of 5", 5/5 or ★★★★★',
      'line 7: column "date" (createdAt) "03/04/2021": ',
    ],
  },
]

/** The reviews that are equal, in the export that has some. */
const EQUAL = { 'judgeme.csv': 1 }

describe('the export of', () => {
  let home: CliHome
  beforeAll(async () => {
    home = await openCliHome()
  })
  afterAll(() => home[Symbol.asyncDispose]())

  const path = (file: string): string => fileURLToPath(new URL(`./exports/${file}`, import.meta.url))

  it.each(EXPORTS)(
    '$file is taken by its preset, and what is refused is told',
    async ({ file, flags, taken, refused }) => {
      const table = ['--table-name', file.replace('.', '-')]
      const command = ['import', path(file), ...flags, '--rejects', home.file('rejects'), '--json', ...table]
      const dry = await home.run([...command, '--dry-run'])
      const { code, stdout, stderr } = await home.run(command)
      expect(code).toBe(1)
      const equal = { ...EQUAL }[file] ?? 0
      const counts = { written: Object.keys(taken).length + equal, rejected: refused.length, failed: 0 }
      expect(JSON.parse(stdout)).toMatchObject({ ...counts, dryRun: false })
      for (const line of refused) expect(stderr).toContain(`\n${line}`.slice(stderr.startsWith(line) ? 1 : 0))
      const exported = (await home.run(['export', ...table])).stdout.trim().split('\n')
      const items = exported.map((line) => JSON.parse(line))
      expect(items).toHaveLength(counts.written)
      for (const [text, item] of Object.entries(taken))
        expect(items).toContainEqual(expect.objectContaining({ text, ...item }))
      // A dry run says the same.
      const { rows, ...checked } = JSON.parse(dry.stdout)
      expect(checked).toMatchObject({ ...counts, dryRun: true })
      const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1)
      expect(rows.toSorted(byId)).toEqual(items.toSorted(byId))
      // Once more brings nothing more.
      await home.run(command)
      expect((await home.run(['export', ...table])).stdout.trim().split('\n')).toEqual(exported)
    },
  )

  it('a shop goes into a collection of other names by a map on top of the preset', async () => {
    const file = path('yotpo.csv')
    const table = ['--table-name', 'mapped']
    const command = ['import', file, '--preset', 'yotpo', '--set', 'language=de', '--dates', 'M/d/yyyy', ...table]
    const { stdout } = await home.run([...command, '--map', 'title=Product Title,productId=SKU', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ written: 4, rejected: 2 })
    const items = (await home.run(['export', ...table])).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(items).toContainEqual(
      expect.objectContaining({ productId: 'WS-1', title: 'Wool Socks', createdAt: '2022-12-05T00:00:00.000Z' }),
    )
  })
})
