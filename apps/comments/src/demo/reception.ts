import type { Comment } from '../comment.ts'
import type { LanguageTexts, Rating } from './language-texts.ts'
import type { Random } from './random.ts'
import { HOUR_MS } from './times.ts'

/** What becomes of a comment after it was written: whether the shop knows the purchase, what readers think of it, what the shop answers. */
export type Reception = Pick<Comment, 'helpful' | 'verified' | 'attached' | 'answered' | 'person'>

const VERIFIED = 0.72
/** The share of comments that the shop answers, by rating: it answers complaints. */
const ANSWERED: Readonly<Record<Rating, number>> = { 1: 0.4, 2: 0.35, 3: 0.15, 4: 0.04, 5: 0.03 }
/** The share of comments that no reader has voted for. */
const UNNOTICED = 0.45
const LONGEST_WAIT_HOURS = 9 * 24

/** Makes up the reception of a comment: long and critical ones are found helpful most, a few of them by very many. */
export function makeReception(
  { rating, text, time }: { readonly rating: Rating; readonly text: string; readonly time: number },
  texts: LanguageTexts,
  random: Random,
): Reception {
  const noticed = !random.chance(UNNOTICED)
  const liking = random.normal() * 0.9 + Math.min(2, text.length / 250) + (rating <= 3 ? 0.4 : 0)
  const verified = random.chance(VERIFIED)
  const answered = random.chance(ANSWERED[rating])
  const wait = random.whole(2, LONGEST_WAIT_HOURS) * HOUR_MS
  const reply = random.pick(texts.answers[rating >= 4 ? 'good' : 'bad'])
  return {
    helpful: noticed ? Math.max(1, Math.round(Math.exp(liking))) : 0,
    verified,
    attached: answered ? { answer: { text: reply, answeredAt: new Date(time + wait).toISOString() } } : null,
    answered,
    person: null,
  }
}
