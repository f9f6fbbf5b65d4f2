import type { Page } from 'lapidary'

/** A number in a pager, or a gap where numbers are left out. */
export type PagerPart = number | 'gap'

/** The number of pages shown on either side of the page on show. */
const BESIDE = 1

/**
 * Returns the numbers of a pager: the first, the last and those around the page on show. A single number between two others is shown, since a
 * gap takes as much room.
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

/** Returns the number of a list's last page, for a page that is past it; undefined for any other, and where it is not known. */
export function lastPageBefore({ number, count }: Page<unknown>['page']): number | undefined {
  return number !== null && count !== null && count > 0 && number > count ? count : undefined
}

/** Returns the ranks of the first and the last item on a page, from 1; undefined where they are not known. */
export function shownRange({
  items,
  page: { number, size },
}: Page<unknown>): { readonly first: number; readonly last: number } | undefined {
  if (number === null || items.length === 0) return undefined
  const first = (number - 1) * size + 1
  return { first, last: first + items.length - 1 }
}
