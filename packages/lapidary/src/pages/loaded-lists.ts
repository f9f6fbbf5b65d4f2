import type { SortedLists } from './sorted-lists.ts'

/** What the code of a store makes, once it is loaded. */
export type LoadedLists = Omit<SortedLists, 'name' | 'close' | 'inspect'> & Required<Pick<SortedLists, 'inspect'>>

/** What is known of a store before its code is loaded. */
type LoadedOptions = Partial<Pick<SortedLists, 'price' | 'close'>>

/** Lists of a store whose code the first question loads: a function that lists without page numbers does without it. */
export function loadedLists(
  name: string,
  load: () => Promise<LoadedLists>,
  { price, close = async () => undefined }: LoadedOptions = {},
): SortedLists {
  let loading: Promise<LoadedLists> | undefined
  let loaded: LoadedLists | undefined
  const lists = async (): Promise<LoadedLists> => {
    if (loaded !== undefined) return loaded
    loading ??= load().catch((error: unknown) => {
      // The next question tries anew.
      loading = undefined
      throw error
    })
    loaded = await loading
    return loaded
  }
  return {
    name,
    select: async (question) => (await lists()).select(question),
    state: async () => (await lists()).state(),
    full: async () => (await lists()).full?.(),
    create: async () => (await lists()).create(),
    fill: async () => (await lists()).fill(),
    forget: () => loaded?.forget?.(),
    apply: async (shardId, changes) => (await lists()).apply(shardId, changes),
    pass: async (shardId, to) => (await lists()).pass?.(shardId, to),
    inspect: async () => (await lists()).inspect(),
    validate: async (group) => (await lists()).validate(group),
    ...(price === undefined ? {} : { price: (shape) => loaded?.price?.(shape) ?? price(shape) }),
    close,
  }
}
