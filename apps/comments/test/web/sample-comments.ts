import type { Comment } from '../../src/comment.ts'

type Sample = Pick<Comment, 'id' | 'productId' | 'language' | 'rating' | 'title' | 'text' | 'author' | 'createdAt'>

/** J-shaped, as ratings are: most are 5, and 1 is more frequent than 2. */
const RATINGS = [5, 5, 4, 5, 1, 5, 4, 5, 3, 5, 5, 4, 5, 1, 5, 2, 5, 5, 4, 5] as const
const LANGUAGES = ['en', 'en', 'de', 'en', 'pt-br', 'en', 'ar', 'en', 'ja', 'fr'] as const
const AUTHORS = ['Maria Silva', 'J. Osei', 'Wren', 'Ingrid Björk', 'Tomás', 'Aisha K.'] as const

const WORDS: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  en: [
    ['Exactly what I hoped for', 'Sharp, quiet, and the handle does not get hot. I use it every morning. ☕️'],
    [
      'Good, with one flaw',
      'The lid is a little loose. Otherwise it has done everything I asked of it for half a year, through two moves and a toddler. I would buy it again, though perhaps in a darker colour, since the white one shows every drop.',
    ],
    ['', 'Arrived on time.'],
    [
      'Broke after a week',
      'The hinge gave way. Support answered within a day and sent another.\n\nThe second one holds so far.',
    ],
  ],
  de: [
    [
      'Rundum zufrieden',
      'Die Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft hätte es nicht besser gebaut.',
    ],
  ],
  'pt-br': [['Não funcionou', 'Parou no segundo dia. Pedi o dinheiro de volta.']],
  ar: [['ممتاز جدا', 'جودة عالية ووصل بسرعة، شكرا لكم. أنصح به.']],
  ja: [['とても良い', '思ったより軽くて使いやすいです。色も写真の通りでした。']],
  fr: [['Très bien', 'Léger, solide, et livré en deux jours.']],
}

/** Comments of one product, newest last; every third has the same time as the one before. */
export function sampleComments(productId: string, size: number): readonly Sample[] {
  return Array.from({ length: size }, (_, i): Sample => {
    const language = LANGUAGES[(i * 7) % LANGUAGES.length] ?? 'en'
    const rating = RATINGS[(i * 3 + (i % 7)) % RATINGS.length] ?? 5
    const texts = WORDS[language] ?? []
    const [title, text] = (rating === 1 && language === 'en' ? texts[3] : texts[i % Math.min(3, texts.length)]) ?? [
      '',
      '–',
    ]
    const time = Date.UTC(2026, 0, 5) + Math.floor(i - (i % 3 === 2 ? 1 : 0)) * 7_345_678
    return {
      id: `${productId}-${String(i).padStart(4, '0')}`,
      productId,
      language,
      rating,
      title,
      text,
      author: language === 'ja' ? '田中' : (AUTHORS[i % AUTHORS.length] ?? 'Wren'),
      createdAt: new Date(time).toISOString(),
    }
  })
}

/** Comments that would break a page that trusts what people write. */
export const hostileComments: readonly Sample[] = [
  {
    id: 'hostile"><b id=',
    productId: 'hostile',
    language: 'en',
    rating: 3,
    title: '</title><script>window.broken = 1</script>',
    text: `<script>window.broken = 2</script> <img src=x onerror="window.broken = 3"> ' " & </p>`,
    author: '"><svg onload=alert(1)>',
    createdAt: '2026-02-01T00:00:00.000Z',
  },
  {
    id: 'hostile-2',
    productId: 'hostile',
    language: 'en',
    rating: 2,
    title: 'W'.repeat(200),
    text: `${'unbreakable'.repeat(400)} 👩‍👩‍👧‍👦`,
    author: 'x'.repeat(100),
    createdAt: '2026-02-02T00:00:00.000Z',
  },
]

/** One comment of many lines, and one of the last minute of a month. */
export const oddComments: readonly Sample[] = [
  {
    id: 'long-1',
    productId: 'long',
    language: 'en',
    rating: 4,
    title: 'A long story',
    // Five lines and an empty one, then many.
    text: `First:\nit is light,\nit is warm,\nit is blue,\nit is mine.\n\n${'It has served me well, and I have a lot to say about that. '.repeat(40)}`,
    author: 'Wren',
    createdAt: '2026-02-03T00:00:00.000Z',
  },
  {
    id: 'late-1',
    productId: 'late',
    language: 'en',
    rating: 5,
    title: '',
    text: 'Just in time.',
    author: 'Wren',
    createdAt: '2026-02-28T23:59:00.000Z',
  },
]
