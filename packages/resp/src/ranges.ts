import type { DiskListsReader } from 'lapidary-pages/file'
import { nextUp, parseDouble, parseLong } from './redis-number.ts'
import { failure } from './reply.ts'

/** Ranks of a list, from one to below another. */
export interface RankRange {
  readonly start: number
  readonly end: number
}

const NOTHING: RankRange = { start: 0, end: 0 }

/** A range of a list, however it was asked. It is read before the list is looked at, so that errors come first. */
export type RangeOf = (lists: DiskListsReader, list: string) => RankRange

/** @throws {ReplyError} */
export function longArgument(text: string): number {
  const value = parseLong(text)
  if (value === undefined) throw failure('value is not an integer or out of range')
  return value
}

const MOST_LONG = 2 ** 63

/**
 * Reads a time in seconds as milliseconds; 0 means no end.
 *
 * @throws {ReplyError}
 */
export function timeoutArgument(text: string): number {
  const seconds = parseDouble(text)
  if (seconds === undefined) throw failure('timeout is not a float or out of range')
  const milliseconds = Math.ceil(seconds * 1_000)
  if (milliseconds > MOST_LONG - Date.now()) throw failure('timeout is out of range')
  if (milliseconds < 0) throw failure('timeout is negative')
  return milliseconds
}

/** Reads ranks; those below zero count from the end. */
export function rankRange(first: string, last: string, fromEnd: boolean): RangeOf {
  const from = longArgument(first)
  const to = longArgument(last)
  return (lists, list) => {
    const count = lists.count(list)
    const start = Math.max(0, from < 0 ? from + count : from)
    const end = Math.min(count, (to < 0 ? to + count : to) + 1)
    if (start >= end) return NOTHING
    return fromEnd ? { start: count - end, end: count - start } : { start, end }
  }
}

/** @throws {ReplyError} */
export function scoreRange(least: string, most: string): RangeOf {
  const low = scoreBound(least)
  const high = scoreBound(most)
  return (lists, list) => {
    const start = ranksBefore(lists, list, low.score, low.isExclusive)
    return { start, end: Math.max(start, ranksBefore(lists, list, high.score, !high.isExclusive)) }
  }
}

function ranksBefore(lists: DiskListsReader, list: string, score: number, withEqual: boolean): number {
  if (!withEqual) return lists.rank(list, score)
  return score === Number.POSITIVE_INFINITY ? lists.count(list) : lists.rank(list, nextUp(score))
}

interface ScoreBound {
  readonly score: number
  readonly isExclusive: boolean
}

function scoreBound(text: string): ScoreBound {
  const isExclusive = text.startsWith('(')
  const number = isExclusive ? text.slice(1) : text
  // Read as C reads a number: leading spaces are skipped, and an empty text is zero.
  const score = number === '' ? 0 : parseDouble(number.replace(/^[ \t\n\v\f\r]+/, ''))
  if (score === undefined) throw failure('min or max is not a float')
  return { score, isExclusive }
}

/** The most entries that are looked at one by one, as Redis looks at a small set. */
const FEW = 128

/**
 * Returns a range by members only, whatever their scores: from the first member that is not below the lower bound to the one before the next
 * that is above the upper bound, in the order of the list; or likewise from its end. Where all scores are equal that is every member between the
 * bounds. Where they differ, Redis does this with a small set; a large one it searches, and so does this function.
 */
export function memberRange(least: string, most: string, fromEnd: boolean): RangeOf {
  const low = memberBound(least)
  const high = memberBound(most)
  return (lists, list) => {
    const count = lists.count(list)
    const first = lists.at(list, 0)
    const last = lists.at(list, count - 1)
    if (first === undefined || last === undefined) return NOTHING
    if (first.score === last.score) return tiedRange(lists, list, count, first.score, low, high)
    if (isEmptyMemberRange(low, high) || isBelow(last.member, low) || isAbove(first.member, high)) return NOTHING
    const few = count <= FEW ? lists.slice(list, 0, count) : undefined
    const memberAt = (rank: number): string => (few?.[rank] ?? lists.at(list, rank))?.member ?? ''
    const find = few === undefined ? searched : walked
    if (fromEnd) {
      const end = count - find(0, count, (i) => !isAbove(memberAt(count - 1 - i), high))
      const start = end - find(0, end, (i) => isBelow(memberAt(end - 1 - i), low))
      return { start, end }
    }
    const start = find(0, count, (rank) => !isBelow(memberAt(rank), low))
    return { start, end: find(start, count, (rank) => isAbove(memberAt(rank), high)) }
  }
}

/** Finds the range where all scores are equal, so that members are in order. */
function tiedRange(
  lists: DiskListsReader,
  list: string,
  count: number,
  score: number,
  low: MemberBound,
  high: MemberBound,
): RankRange {
  const place = (bound: MemberBound, withEqual: boolean): number => {
    if (bound.member === undefined) return bound.isAbove ? count : 0
    return lists.rank(list, score, withEqual ? `${bound.member}\0` : bound.member)
  }
  const start = place(low, low.isExclusive)
  return { start, end: Math.max(start, place(high, !high.isExclusive)) }
}

/** Returns the first number for which the test holds, or `end`. */
function walked(start: number, end: number, isSo: (index: number) => boolean): number {
  let at = start
  while (at < end && !isSo(at)) at++
  return at
}

/** Finds the same in few steps, where the test holds from some number on. */
function searched(start: number, end: number, isSo: (index: number) => boolean): number {
  let [low, high] = [start, end]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (isSo(middle)) high = middle
    else low = middle + 1
  }
  return low
}

function isBelow(member: string, { member: bound, isAbove: isPlus, isExclusive }: MemberBound): boolean {
  if (bound === undefined) return isPlus
  return isExclusive ? member <= bound : member < bound
}

function isAbove(member: string, { member: bound, isAbove: isPlus, isExclusive }: MemberBound): boolean {
  if (bound === undefined) return !isPlus
  return isExclusive ? member >= bound : member > bound
}

function isEmptyMemberRange(low: MemberBound, high: MemberBound): boolean {
  if (low.member === undefined || high.member === undefined)
    return low.isAbove || (high.member === undefined && !high.isAbove)
  return low.member > high.member || (low.member === high.member && (low.isExclusive || high.isExclusive))
}

interface MemberBound {
  /** The member; undefined below or above all members. */
  readonly member: string | undefined
  readonly isAbove: boolean
  readonly isExclusive: boolean
}

function memberBound(text: string): MemberBound {
  if (text === '-' || text === '+') return { member: undefined, isAbove: text === '+', isExclusive: false }
  if (!text.startsWith('[') && !text.startsWith('(')) throw failure('min or max not valid string range item')
  return { member: text.slice(1), isAbove: false, isExclusive: text.startsWith('(') }
}
