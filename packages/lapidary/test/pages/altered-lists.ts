import type { PageStore } from 'lapidary'

type Lists = ReturnType<PageStore['open']>

/** The same store, of which some functions do something else. */
export function alteredLists(store: PageStore, altered: (lists: Lists) => Partial<Lists>): PageStore {
  return {
    ...store,
    open(context) {
      const lists = store.open(context)
      return { ...lists, ...altered(lists) }
    },
  }
}

/** The same store, whose answers tell of nothing but the place. */
export function silentLists(store: PageStore): PageStore {
  return alteredLists(store, ({ select }) => ({
    async select(question) {
      const { near: _, ...answer } = await select(question)
      return answer
    },
  }))
}
