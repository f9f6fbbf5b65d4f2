import { cumulative } from './random.ts'

const DAY_MS = 86_400_000
const FIRST_DAY = Date.UTC(2020, 0, 1)
const LAST_DAY = Date.UTC(2025, 5, 30)

/** Yields days with their number of comments: more from year to year, most around sales and after Christmas. */
export function* commentDays(comments: number): Generator<{ readonly day: number; readonly count: number }> {
  const days = Math.round((LAST_DAY - FIRST_DAY) / DAY_MS) + 1
  const sums = cumulative(
    Float64Array.from({ length: days }, (_, i) => dayWeight(new Date(FIRST_DAY + i * DAY_MS), i / days)),
  )
  const total = sums.at(-1) ?? 1
  let before = 0
  for (let i = 0; i < days; i++) {
    const until = i === days - 1 ? comments : Math.floor(((sums[i] ?? 0) / total) * comments)
    if (until > before) yield { day: FIRST_DAY + i * DAY_MS, count: until - before }
    before = until
  }
}

function dayWeight(date: Date, progress: number): number {
  const weekend = date.getUTCDay() === 0 || date.getUTCDay() === 6
  return (0.5 + 1.5 * progress) * (weekend ? 1.3 : 1) * saleFactor(date.getUTCMonth() + 1, date.getUTCDate())
}

/** Returns the factor of a sale: Black Friday and its week, the July sale, the days after Christmas. */
function saleFactor(month: number, day: number): number {
  if (month === 11 && day >= 24) return 6
  if (month === 12 && day <= 5) return 4
  if (month === 7 && day >= 12 && day <= 16) return 5
  if ((month === 12 && day >= 26) || (month === 1 && day <= 4)) return 3
  return 1
}

/** The share of comments by hour of the writer's own day: few at night, most in the evening. */
const HOURS: Float64Array = cumulative([
  8, 4, 2, 1, 1, 2, 5, 12, 18, 22, 24, 26, 28, 26, 24, 24, 26, 30, 38, 48, 56, 52, 36, 18,
])

/** Running sums for drawing an hour. */
export const HOURS_OF_DAY: Float64Array = HOURS

export const HOUR_MS = 3_600_000
