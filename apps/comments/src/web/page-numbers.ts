import type { Page } from 'lapidary'

/** A number to show in a pager, or a gap where some are left out. */
export type PagerPart = number | 'gap'

/** Numbers on either side of the page on show. */
const BESIDE = 1

/**
 * The numbers that a pager shows: the first, the last and those around the page on show. One number that would be left out
 * alone is shown, since a gap takes as much room.
 *
 * @example
 * ```ts
 * pagerParts(6, 54) // [1, 'gap', 5, 6, 7, 'gap', 54]
 * ```
 */
export function pagerParts(number: number, count: number): readonly PagerPart[] {
  const shown = [1, count, ...Array.from({ length: 2 * BESIDE + 1 }, (_, i) => number - BESIDE + i)]
  const numbers = [...new Set(shown)].filter((each) => each >= 1 && each <= count).sort((a, b) => a - b)
  return numbers.flatMap((each, i): PagerPart[] => {
    const missing = each - (numbers[i - 1] ?? 0) - 1
    if (missing === 0) return [each]
    return missing === 1 ? [each - 1, each] : ['gap', each]
  })
}

/** The number of a list's last page, for a page that is past it; undefined for any other, and where it is not known. */
export function lastPageBefore({ number, count }: Page<unknown>['page']): number | undefined {
  return number !== null && count !== null && count > 0 && number > count ? count : undefined
}

/** Ranks of the first and the last item on a page, from 1; undefined where they are not known. */
export function shownRange({
  items,
  page: { number, size },
}: Page<unknown>): { readonly first: number; readonly last: number } | undefined {
  if (number === null || items.length === 0) return undefined
  const first = (number - 1) * size + 1
  return { first, last: first + items.length - 1 }
}
