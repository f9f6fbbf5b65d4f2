import type { DiskListsReader } from 'lapidary/page-index/file'
import { nextUp, parseDouble, parseLong } from './redis-number.ts'
import { failure } from './reply.ts'

/** Ranks of a list, from one to below another. */
export interface RankRange {
  readonly start: number
  readonly end: number
}

const NOTHING: RankRange = { start: 0, end: 0 }

/** A range of a list, however it was asked for. It is read before the list is looked at, so that errors come first. */
export type RangeOf = (lists: DiskListsReader, list: string) => RankRange

/** @throws {ReplyError} */
export function longArgument(text: string): number {
  const value = parseLong(text)
  if (value === undefined) throw failure('value is not an integer or out of range')
  return value
}

/** Ranks, of which those below zero count from the end. */
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
  // As C reads a number: spaces in front are passed over, and nothing at all is zero.
  const score = number === '' ? 0 : parseDouble(number.replace(/^[ \t\n\v\f\r]+/, ''))
  if (score === undefined) throw failure('min or max is not a float')
  return { score, isExclusive }
}

/** Members, which are in order where all scores are equal. */
export function memberRange(least: string, most: string): RangeOf {
  const low = memberBound(least)
  const high = memberBound(most)
  return (lists, list) => {
    const count = lists.count(list)
    const score = lists.at(list, 0)?.score ?? 0
    const place = (bound: MemberBound, withEqual: boolean): number => {
      if (bound.member === undefined) return bound.isAbove ? count : 0
      return lists.rank(list, score, withEqual ? `${bound.member}\0` : bound.member)
    }
    const start = place(low, low.isExclusive)
    return { start, end: Math.max(start, place(high, !high.isExclusive)) }
  }
}

interface MemberBound {
  /** Undefined below or above all. */
  readonly member: string | undefined
  readonly isAbove: boolean
  readonly isExclusive: boolean
}

function memberBound(text: string): MemberBound {
  if (text === '-' || text === '+') return { member: undefined, isAbove: text === '+', isExclusive: false }
  if (!text.startsWith('[') && !text.startsWith('(')) throw failure('min or max not valid string range item')
  return { member: text.slice(1), isAbove: false, isExclusive: text.startsWith('(') }
}
