import { PRODUCT } from './comments.ts'
import { entriesBefore, type MemoryList } from './memory-lists.ts'

const BLOCK_BYTES = 4096

/** A question: a language or any, and a set of ratings. */
export interface Asked {
  readonly language: string | undefined
  readonly ratings: readonly number[]
}

/**
 * RCU of a page for a reader that knows every entry's bytes and what each list will give to the page, and reads that and no
 * more from the cheapest of the planner's access paths: the sum of `0.5 * max(1, ceil(bytes / 4096))` over its lists.
 *
 * @param page Positions of the page's comments and their ratings, newest first.
 * @param before The position where the read begins, exclusive.
 */
export function clairvoyantCapacity(
  lists: ReadonlyMap<string, MemoryList>,
  values: number,
  { language, ratings }: Asked,
  page: readonly { readonly position: string; readonly rating: number }[],
  before: string | undefined,
): number {
  const product = `COMMENT/${PRODUCT}`
  const open = ratings.length === values
  const exact = open ? Array.from({ length: values }, (_, i) => i + 1) : ratings
  const paths =
    language === undefined
      ? [[`all ${product}`], exact.map((rating) => `byRating ${product}/${rating}`)]
      : [
          [`all ${product}`],
          [`byLanguage ${product}/${language}`],
          exact.map((rating) => `byRating ${product}/${rating}`),
          exact.map((rating) => `byLanguageAndRating ${product}/${language}/${rating}`),
        ]
  const given = (name: string): string | undefined => {
    const rating =
      name.startsWith('by') && name.includes('Rating') ? Number(name.slice(name.lastIndexOf('/') + 1)) : undefined
    return page.findLast((comment) => rating === undefined || comment.rating === rating)?.position
  }
  const capacity = (name: string): number => {
    const list = lists.get(name)
    const last = given(name)
    if (list === undefined || last === undefined) return 0.5
    const bytes =
      (list.bytesBefore[entriesBefore(list, before)] ?? 0) - (list.bytesBefore[entriesBefore(list, last)] ?? 0)
    return 0.5 * Math.max(1, Math.ceil(bytes / BLOCK_BYTES))
  }
  return Math.min(...paths.map((names) => names.reduce((sum, name) => sum + capacity(name), 0)))
}
