import { type ListsFilling, type ListsState, STATE_AGE_MS } from '../sorted-lists.ts'
import type { NodeStore, TreesState } from './node-store.ts'

/** The generation of trees that were never filled anew. */
const FIRST_GENERATION = 1

/** Which trees are kept, as a process has seen it last. */
export class SeenTrees {
  readonly #read: NodeStore['state']
  readonly #clock: () => number
  #known: { readonly trees: Promise<TreesState>; readonly at: number } | undefined
  #generation = FIRST_GENERATION

  constructor(read: NodeStore['state'], clock: () => number) {
    this.#read = read
    this.#clock = clock
  }

  /** The generation that was seen last; a question begins with it while the state is read beside. */
  get generation(): number {
    return this.#generation
  }

  /** Reads the state, unless it was read a moment ago. */
  current(ageMs: number = STATE_AGE_MS): Promise<TreesState> {
    if (this.#known !== undefined && Math.abs(this.#clock() - this.#known.at) < ageMs) return this.#known.trees
    const trees = this.#read().then((state) => {
      this.#generation = state.generation || FIRST_GENERATION
      // What is built next is used at once.
      if (state.state !== 'ready') this.#known = undefined
      return state
    })
    // One read for all who ask; what failed is asked again.
    const reading = { trees, at: this.#clock() }
    this.#known = reading
    trees.catch(() => {
      if (this.#known === reading) this.#known = undefined
    })
    return trees
  }

  /** Tells whether an answer of a generation is of other trees than those that are kept now. */
  isOther({ generation }: TreesState, asked: number): boolean {
    return generation !== asked && generation !== 0
  }

  /** Goes by nothing that was read before. */
  forget(): void {
    this.#known = undefined
  }

  /** The state as those outside know it. */
  async shown(): Promise<ListsState> {
    const { state } = await this.current()
    // What was built a moment ago by a rebuild is told at once.
    return shownState(state === 'ready' ? state : (await this.current(0)).state)
  }
}

/** Shows a state as those outside know it. */
export function shownState(state: TreesState['state']): ListsState {
  return state === 'settling' ? 'filling' : state
}

/** Makes empty trees, or begins to fill them. */
export interface TreesMaking {
  create(): Promise<void>
  fill(): Promise<ListsFilling>
}

/** @param add Adds entries to trees that are being filled. */
export function treesMaking(
  store: NodeStore,
  seen: SeenTrees,
  add: (trees: TreesState, entries: Parameters<ListsFilling['add']>[0]) => Promise<void>,
): TreesMaking {
  return {
    async create() {
      await store.create()
      seen.forget()
    },
    async fill() {
      const generation = await store.begin()
      seen.forget()
      return {
        add: (entries) => add({ state: 'filling', generation }, entries),
        async finish() {
          await store.finish(generation)
          seen.forget()
        },
        isGivenUp: (key) => store.isGivenUp(key, generation),
      }
    },
  }
}
