import { LapidaryError, shown } from './errors.ts'
import { LARGEST_NUMBER, SMALLEST_NUMBER } from './facet-values.ts'
import { knownOptions } from './known-options.ts'

/** Options of an addition. */
export interface IncrementOptions {
  /**
   * Whether DynamoDB may add without the item being read first. Then no other write makes it wait or try again, and the schema does not check
   * the sum. False when not given. The item is read all the same where the sum decides a key, beside other changes or conditions, with hooks,
   * and in a layout that stores an item several times.
   */
  readonly blind?: boolean
}

/** A number that a patch adds to an attribute, made by `increment`. */
export interface Increment {
  readonly by: number
  readonly blind: boolean
}

/** One symbol for every copy of this module that a program loads; no JSON from outside has it. */
const BRAND = Symbol.for('lapidary.increment')

/** A class, so that an increment that is given as a value is refused and not stored as a map. */
class IncrementBy implements Increment {
  readonly [BRAND] = true
  readonly by: number
  readonly blind: boolean

  constructor(by: number, blind: boolean) {
    this.by = by
    this.blind = blind
    Object.freeze(this)
  }
}

export function isIncrement(change: unknown): change is Increment {
  return typeof change === 'object' && change !== null && BRAND in change
}

/**
 * Adds to a number in a patch, exactly once, whatever other writers do and however often an answer is lost. An absent attribute counts as 0.
 *
 * @param by The number to add; negative to subtract.
 * @throws {LapidaryError} `unprocessable` for anything but a number that DynamoDB holds exactly.
 * @example
 * ```ts run
 * const { rating } = await lapidary.comments.patch('100001', { rating: increment(1) }, { if: { language: 'en' } })
 * ```
 */
export function increment(by: number, options: IncrementOptions = {}): Increment {
  const { blind = false } = knownOptions('increment', options, { blind: true })
  if (typeof by !== 'number' || (by !== 0 && !(Math.abs(by) >= SMALLEST_NUMBER && Math.abs(by) <= LARGEST_NUMBER))) {
    throw new LapidaryError(
      'unprocessable',
      `increment(${shown(by)}) adds no number; it takes 0, or one from ${SMALLEST_NUMBER} to ${LARGEST_NUMBER} either side of it`,
    )
  }
  return new IncrementBy(by, blind)
}
