import { RATING_SHARES } from './comments.ts'

/** One of the 62 filters: a set of ratings, with one language or with any. */
export interface RatingFilter {
  readonly name: string
  readonly language: string | undefined
  /** Ascending. */
  readonly ratings: readonly (1 | 2 | 3 | 4 | 5)[]
  /** Share of the language's comments that it lets through. */
  readonly share: number
}

const RATINGS = [1, 2, 3, 4, 5] as const

/** Every non-empty set of ratings, with one language and with any. */
export function ratingFilters(languages: readonly (string | undefined)[] = ['en', undefined]): RatingFilter[] {
  return languages.flatMap((language) =>
    Array.from({ length: 2 ** RATINGS.length - 1 }, (_, i): RatingFilter => {
      const ratings = RATINGS.filter((_, bit) => (((i + 1) >> bit) & 1) === 1)
      const share = RATING_SHARES.reduce((sum, [rating, part]) => sum + (ratings.includes(rating) ? part : 0), 0)
      return { name: `${language ?? '~'}/${ratings.join('.')}`, language, ratings, share }
    }),
  )
}

/** The filter as `list` takes it. */
export function whereOf({ language, ratings }: RatingFilter) {
  return { ...(language === undefined ? {} : { language }), rating: ratings }
}
