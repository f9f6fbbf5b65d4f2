import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb'
import { type Comment, comments } from 'comments/comment'
import { generateComments } from 'comments/demo'
import { type Collection, createLapidary, type Page } from 'lapidary'
import { deflated, packed, storedForms, trainDictionary } from 'lapidary/codecs'
import { importItems } from 'lapidary/transfer'
import { openEngine } from 'lapidary-engine'
import type { BenchContext } from './bench.ts'
import { mean, rounded } from './measure.ts'
import type { Report } from './report.ts'

const PRODUCT = '42'
const LIMIT = 20
/** Comments of about 500 bytes as they are stored plain. */
const [SHORTEST, LONGEST] = [400, 600]
const DICTIONARY_BYTES = 32_768

interface Way {
  readonly name: string
  readonly collection: Collection<Comment>
}

/** Bytes and read units of lifelike comments of about 500 bytes, in several scripts, packed in each way. */
export async function codecs({ seed, quick }: BenchContext): Promise<Report> {
  const [learned, tried] = [lifelike(seed + 1000, quick ? 4_000 : 40_000), lifelike(seed, quick ? 4_000 : 30_000)]
  const dictionary = trainDictionary(comments as never, learned, { bytes: DICTIONARY_BYTES })
  const unseen = trainDictionary(
    comments as never,
    learned.filter(({ language }) => language !== 'ja' && language !== 'ar'),
    { bytes: DICTIONARY_BYTES },
  )
  const ways: readonly Way[] = [
    { name: 'plain', collection: comments as never },
    { name: 'packed', collection: { ...comments, codec: packed() } as never },
    { name: 'deflated', collection: { ...comments, codec: deflated({ dictionaries: [dictionary] }) } as never },
    {
      name: 'deflated, no ja or ar in the dictionary',
      collection: { ...comments, codec: deflated({ dictionaries: [unseen] }) } as never,
    },
  ]
  const shown = tried.slice(0, quick ? 300 : 3_000).map((comment) => ({ ...comment, productId: PRODUCT }))
  const measured = []
  for (const way of ways) measured.push({ name: way.name, ...(await measure(way, shown)) })
  const [plain] = measured
  if (plain === undefined) throw new Error('nothing was measured')
  const share = (bytes: number, of: number): string => `${Math.round((100 * bytes) / of)} %`
  const languages = [...new Set(shown.map(({ language }) => language))].sort()
  const ofDeflated = measured[2] ?? plain
  return {
    tables: [
      {
        title: `Comments of ${Math.round(plain.own)} bytes on average, of an item without the keys of the table and its indexes; ${shown.length} comments, ${learned.length} others to learn from`,
        columns: ['codec', 'bytes', 'of plain', 'bytes with all keys', 'of plain ', 'RCU a page of 20', 'of plain  '],
        rows: measured.map(({ name, own, whole, rcu }) => [
          ...[name, rounded(own, 0), share(own, plain.own), rounded(whole, 0), share(whole, plain.whole)],
          ...[rounded(rcu, 2), share(rcu, plain.rcu)],
        ]),
      },
      {
        title: 'Bytes of plain, by language',
        columns: ['codec', ...languages],
        rows: measured
          .slice(1)
          .map(({ name, byLanguage }) => [
            name,
            ...languages.map((language) => share(byLanguage(language), plain.byLanguage(language))),
          ]),
      },
    ],
    targets: [
      {
        name: 'bytes of comments, deflated over plain',
        value: ofDeflated.own / plain.own,
        limit: 0.6,
        kind: 'at most',
      },
    ],
    figures: measured.map(({ byLanguage, ...rest }) => ({
      ...rest,
      languages: Object.fromEntries(languages.map((language) => [language, byLanguage(language)])),
    })),
  }
}

/** Comments with texts long enough, none twice. */
function lifelike(seed: number, count: number): readonly Comment[] {
  const fits = ({ title, text, author }: Comment): boolean => {
    const bytes = Buffer.byteLength(title + text + author) + 110
    return bytes >= SHORTEST && bytes <= LONGEST
  }
  return [...generateComments({ products: 50, comments: count, seed })].filter(fits)
}

async function measure({ collection }: Way, shown: readonly Comment[]) {
  const engine = await openEngine()
  const client = new DynamoDBClient(engine.clientConfig)
  try {
    const cursorSecret = 'a secret that only the bench knows'
    const lapidary = createLapidary({
      client,
      tableName: 'comments',
      collections: { comments: collection },
      cursorSecret,
    })
    await lapidary.table.create()
    await importItems(lapidary.comments, shown)
    const sizes: { readonly language: string; readonly own: number; readonly whole: number }[] = []
    for (const { id, language } of shown.filter((_, i) => i % 4 === 0)) {
      const Key = { PK: { S: `COMMENT#${id}` }, SK: { S: '~' } }
      const { Item = {} } = await client.send(new GetItemCommand({ TableName: 'comments', Key }))
      const forms = storedForms(collection, Item)
      const bytes = (of: typeof forms): number => of.reduce((sum, form) => sum + form.bytes, 0)
      sizes.push({ language, own: bytes(forms.filter(({ form }) => form !== 'key')), whole: bytes(forms) })
    }
    const rcus: number[] = []
    for (const where of [{}, { language: 'en' }, { rating: [5] }, { language: 'en', rating: [4, 5] }]) {
      let cursor: string | null = ''
      for (let page = 0; page < 20 && cursor !== null; page++) {
        const query: object = { scope: PRODUCT, where, limit: LIMIT, ...(cursor === '' ? {} : { cursor }) }
        const { plan, cursors, items }: Page<Comment> = await lapidary.comments.list(query as never)
        if (items.length === LIMIT) rcus.push(plan.actual?.rcu ?? Number.NaN)
        cursor = cursors.next
      }
    }
    return {
      own: mean(sizes.map(({ own }) => own)),
      whole: mean(sizes.map(({ whole }) => whole)),
      rcu: mean(rcus),
      byLanguage: (wanted: string): number =>
        mean(sizes.filter(({ language }) => language === wanted).map(({ own }) => own)),
    }
  } finally {
    client.destroy()
    await engine.close()
  }
}
