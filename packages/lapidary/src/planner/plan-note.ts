import { type Refusal, refusalText } from '../layouts/refusal.ts'
import type { UnknownReason } from '../model/unknown-reason.ts'
import { type UnreadableAttribute, unreadableText } from '../model/unreadable-item.ts'

/** A note about a plan, as data: for programs that say it in the words of their own readers. */
export type PlanNote =
  /** An index that would answer may not, and why. */
  | { readonly kind: 'refused'; readonly index: string; readonly refusal: Refusal }
  /** The share, from 0 to 1, of what it reads that the filter should let through. */
  | { readonly kind: 'filter'; readonly share: number }
  /** The share of so many items that the filter let through, where more was expected. */
  | { readonly kind: 'filtered'; readonly share: number; readonly items: number }
  /** The share of so many items that a function let through. */
  | { readonly kind: 'having'; readonly share: number; readonly items: number }
  /** Derived data that is not known, and why. */
  | { readonly kind: 'unknown'; readonly what: 'counts' | 'leaderboard'; readonly reason: UnknownReason }
  /** The page index does not have all items yet: there are some past what it has. */
  | { readonly kind: 'behind' }
  /** An item that the page leaves out: a number in it can't be read as its attribute is declared. */
  | ({ readonly kind: 'unreadable' } & UnreadableAttribute)
  /** Why the page ended early. */
  | { readonly kind: 'stopped'; readonly by: 'maxCapacity' | 'maxBytes' | 'aborted' }

/** A note in English, as `limits` has it. */
export function noteText(note: PlanNote): string {
  switch (note.kind) {
    case 'refused':
      return `${note.index} ${refusalText(note.refusal)}`
    case 'filter':
      return `the filter lets through ${percent(note.share)} of what it reads; an index on its facets would be cheaper`
    case 'filtered':
      return `the filter let through ${percent(note.share)} of ${note.items} items; an index on its facets would be cheaper`
    case 'having':
      return `having let through ${percent(note.share)} of ${note.items} items; a facet for it would be cheaper`
    case 'unknown':
      return unknownText(note.what, note.reason)
    case 'behind':
      return 'the page index is behind: there are items past the last one that it has, so the number of this page is not known'
    case 'unreadable':
      return `left out: ${unreadableText(note)}`
    case 'stopped':
      return note.by
  }
}

/**
 * Why something derived is not known, and what to do about it, in English.
 *
 * @example
 * ```ts run
 * const { total, unknown } = await lapidary.comments.count({ scope: '42' })
 * console.log(total ?? unknownText('counts', unknown ?? 'absent'))
 * ```
 */
export function unknownText(what: 'counts' | 'leaderboard', reason: UnknownReason): string {
  const [subject, are] = what === 'counts' ? ['counts', 'are'] : ['the leaderboard', 'is']
  switch (reason) {
    case 'filling':
      return `${subject} ${are} being made, and not known until then`
    case 'absent':
      return `${subject} of this declaration ${are} not made; a process that follows the change stream makes them, or run lapidary rebuild statistics`
    case 'abandoned':
      return `a process of another declaration counts and can't keep ${subject}; once it has ended, run lapidary rebuild statistics`
    case 'gap':
      return `the change stream has lost changes, so ${subject} ${are} not known until lapidary repair has made up for them`
    case 'uncounted':
      return `no process follows the change stream, so ${subject} ${are} not known; run lapidary stream`
  }
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}
