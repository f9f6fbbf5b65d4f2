import type { Counts, LeaderboardEntry } from '../../src/index.ts'
import { unitsOf } from '../decimal-units.ts'
import { DAYS, dayOfReview, type HistoryReviews } from './history-reviews.ts'
import type { Review } from './reviews.ts'
import { LANGUAGES, PRODUCTS } from './workload.ts'

type Test = (review: Review) => boolean

/** A number that was told, in 1e-200, and what each review gives to it. */
export interface AskedNumber {
  readonly label: string
  readonly told: bigint
  readonly of: (review: Review) => bigint
}

/** A page that was told, and which reviews belong to its list. */
export interface AskedPage {
  readonly label: string
  readonly items: readonly Review[]
  readonly isMet: Test
  /** Where the page begins in its list, and how many fit on it. */
  readonly offset: number
  readonly size: number
}

/** A leaderboard that was told. */
export interface AskedBoard {
  readonly label: string
  readonly entries: readonly LeaderboardEntry[]
  readonly isMet: Test
  /** By what its scopes are in order. */
  readonly by: 'average' | 'count' | 'sum'
  readonly atLeast: number
}

/** All that was told at one look. */
export interface Asked {
  readonly numbers: readonly AskedNumber[]
  readonly pages: readonly AskedPage[]
  readonly boards: readonly AskedBoard[]
  /** What is not known, each with its reason. */
  readonly unknown: readonly string[]
}

/** What columns answer, and the same by hand. */
const CONDITIONS: readonly { readonly where: object; readonly isMet: Test }[] = [
  {
    where: { language: 'en', edits: ['0', '1', '3'] },
    isMet: ({ language, text }) => language === 'en' && ['0', '1', '3'].includes(text),
  },
  {
    where: { OR: [{ language: 'en' }, { edits: ['1', '2'] }], NOT: { edits: '0', language: 'de' } },
    isMet: ({ language, text }) => language === 'en' || text === '1' || text === '2',
  },
]
const RATINGS = [1, 2, 3, 4, 5] as const
const SUMS = ['price'] as const
/** So small that there is a second page. */
const PAGE = 3
const WHOLE = 100

const every: Test = () => true
const hasPrice: Test = ({ price }) => price !== undefined

function countOf(isMet: Test): (review: Review) => bigint {
  return (review) => (isMet(review) ? unitsOf('1') : 0n)
}

function sumOf(isMet: Test): (review: Review) => bigint {
  return (review) => (isMet(review) ? unitsOf(review.price ?? '0') : 0n)
}

function and(...tests: readonly Test[]): Test {
  return (review) => tests.every((test) => test(review))
}

/** Asks every kind of question once. */
export async function askAll(reviews: HistoryReviews): Promise<Asked> {
  const numbers: AskedNumber[] = []
  const pages: AskedPage[] = []
  const boards: AskedBoard[] = []
  const unknown: string[] = []

  const number = (label: string, told: number | string, of: AskedNumber['of']): void => {
    numbers.push({ label, told: unitsOf(String(told)), of })
  }
  const counted = (label: string, { total, sums, facets, unknown: reason }: Counts, isMet: Test): boolean => {
    if (total === null) unknown.push(`${label} (${reason})`)
    if (total === null || sums === null || facets === null) return false
    number(`the total of ${label}`, total, countOf(isMet))
    const { sum = '0', count = 0 } = sums.price ?? {}
    number(`the sum of ${label}`, String(sum), sumOf(isMet))
    number(`the number of prices of ${label}`, count, countOf(and(isMet, hasPrice)))
    for (const rating of RATINGS) {
      const own = countOf(and(isMet, (review) => review.rating === rating))
      number(`those rated ${rating} of ${label}`, facets.rating?.[rating] ?? 0, own)
    }
    return true
  }
  const byLanguage = (label: string, { facets }: Counts, isMet: Test): void => {
    for (const language of LANGUAGES) {
      const own = countOf(and(isMet, (review) => review.language === language))
      number(`those in ${language} of ${label}`, facets?.language?.[language] ?? 0, own)
    }
  }
  const overTime = (label: string, { series, unknown: reason }: Counts, isMet: Test): void => {
    if (series === null) unknown.push(`${label} (${reason})`)
    for (const day of DAYS) {
      if (series === null) break
      const part = series.find(({ from }) => from === day)
      const isOfDay = and(isMet, (review) => dayOfReview(review) === day)
      number(`${day} of ${label}`, part?.total ?? 0, countOf(isOfDay))
      number(`the sum of ${day} of ${label}`, String(part?.sums.price?.sum ?? 0), sumOf(isOfDay))
    }
  }
  /** Takes an answer that came; without one nothing is known. */
  const answered = async <T>(label: string, asked: Promise<T>, take: (answer: T) => void): Promise<void> => {
    try {
      take(await asked)
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== 'unavailable') throw error
      unknown.push(`${label} (${String(error)})`)
    }
  }
  const page = (
    label: string,
    asked: Promise<{ readonly items: readonly Review[] }>,
    of: Omit<AskedPage, 'label' | 'items'>,
  ) => answered(label, asked, ({ items }) => pages.push({ label, items, ...of }))

  async function askScope(scope: string): Promise<void> {
    const isIn: Test = ({ productId }) => productId === scope
    const all = `all of ${scope}`
    await answered(all, reviews.count({ scope, sums: SUMS }), (counts) => {
      if (counted(all, counts, isIn)) byLanguage(all, counts, isIn)
    })
    const byDay = `${all} by day`
    await answered(byDay, reviews.count({ scope, every: 'day', sums: SUMS }), (counts) => overTime(byDay, counts, isIn))
    for (const { where, isMet: isChosen } of CONDITIONS) {
      const isMet = and(isIn, isChosen)
      const label = `${JSON.stringify(where)} of ${scope}`
      const chosen = reviews.count({ scope, where, by: ['rating'], sums: SUMS })
      await answered(label, chosen, (counts) => counted(label, counts, isMet))
      const whole = reviews.list({ scope, where, limit: WHOLE })
      await page(`the list ${label}`, whole, { isMet, offset: 0, size: WHOLE })
      const second = reviews.page(2, { scope, where, limit: PAGE })
      await page(`page 2 of ${label}`, second, { isMet, offset: PAGE, size: PAGE })
    }
  }
  async function askBoard(name: 'five-star' | 'revenue' | 'dearest', of: Omit<AskedBoard, 'label' | 'entries'>) {
    await answered(`the board ${name}`, reviews.leaderboard({ name }), ({ entries }) => {
      if (entries === null) unknown.push(`the board ${name}`)
      else boards.push({ label: name, entries, ...of })
    })
  }

  await answered('all scopes', reviews.count({ sums: SUMS }), (counts) => {
    if (counted('all scopes', counts, every)) byLanguage('all scopes', counts, every)
  })
  const chosen = 'all scopes rated 1 or 5 by day'
  await answered(chosen, reviews.count({ where: { rating: [1, 5] }, sums: SUMS, every: 'day' }), (counts) =>
    overTime(chosen, counts, ({ rating }) => rating === 1 || rating === 5),
  )
  await askBoard('five-star', { by: 'count', isMet: ({ rating }) => rating === 5, atLeast: 1 })
  await askBoard('revenue', { by: 'sum', isMet: hasPrice, atLeast: 1 })
  await askBoard('dearest', { by: 'average', isMet: hasPrice, atLeast: 2 })
  await Promise.all(PRODUCTS.map(askScope))
  return { numbers, pages, boards, unknown }
}
