import type { Item, QueryInput } from 'lapidary'

/** What a studio remembers of one collection while it is open, for the adviser and for the way back. */
export interface SessionMemory {
  /** Scopes that were opened, the last one first. */
  scopes(): readonly string[]
  /** Questions that were asked, whatever their scope and their values' places, with how often. */
  queries(): readonly AskedOften[]
  /** Items that were on pages, as a sample. */
  items(): readonly Item[]
  note(query: QueryInput, items: readonly Item[]): void
}

/** A question without its scope. */
export type AskedOften = Pick<QueryInput, 'where' | 'by' | 'order' | 'limit'> & { readonly times: number }

const MOST_SCOPES = 12
const MOST_QUERIES = 200
const MOST_ITEMS = 500

export function createSessionMemory(idAttribute: string): SessionMemory {
  const scopes = new Set<string>()
  const queries = new Map<string, number>()
  const items = new Map<unknown, Item>()
  return {
    scopes: () => [...scopes].toReversed(),
    queries: () => [...queries].map(([text, times]) => ({ ...(JSON.parse(text) as object), times })),
    items: () => [...items.values()],
    note({ scope, where, by, order, limit }, shown) {
      for (const each of scope === undefined ? [] : [scope].flat()) {
        scopes.delete(each)
        scopes.add(each)
      }
      keepNewest(scopes, MOST_SCOPES)
      const text = JSON.stringify({ where, by, order, limit })
      queries.set(text, (queries.get(text) ?? 0) + 1)
      keepNewest(queries, MOST_QUERIES)
      for (const item of shown) items.set(item[idAttribute], item)
      keepNewest(items, MOST_ITEMS)
    },
  }
}

/** Forgets what came first, where there is more than is kept. */
function keepNewest(kept: Set<unknown> | Map<unknown, unknown>, most: number): void {
  for (const key of kept.keys()) {
    if (kept.size <= most) return
    kept.delete(key as string)
  }
}
