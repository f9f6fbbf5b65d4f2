import type { Entry } from '../model/entry.ts'
import { isItemKey, plainKeyOf } from '../model/stored-item.ts'
import { unreadableText } from '../model/unreadable-item.ts'
import type { CollectionContext } from '../operations/context.ts'
import { messageOf } from '../stream/described-change.ts'
import type { ComparedPages } from './compared-pages.ts'
import { type ItemProblem, MOST_EXAMPLES } from './maintenance-options.ts'

/** Looks whether items can be read as they are declared. One that can't is counted all the same, so it is no difference. */
export class ValueInspection implements ComparedPages {
  readonly #contexts: readonly Pick<CollectionContext, 'collection' | 'codec'>[]
  unreadable = 0
  /** Some of them. */
  readonly unreadableItems: ItemProblem[] = []

  constructor(contexts: readonly Pick<CollectionContext, 'collection' | 'codec'>[]) {
    this.#contexts = contexts
  }

  see(entry: Entry): void {
    const key = plainKeyOf(entry)
    const context = this.#contexts.find(({ collection }) => isItemKey(collection, key))
    const reason = context === undefined ? undefined : problemOf(context, entry)
    if (reason === undefined) return
    this.unreadable += 1
    if (this.unreadableItems.length < MOST_EXAMPLES) this.unreadableItems.push({ key, reason })
  }
}

function problemOf({ codec }: Pick<CollectionContext, 'codec'>, entry: Entry): string | undefined {
  try {
    return codec.unreadable(entry).map(unreadableText).join('; ') || undefined
  } catch (error) {
    // What is packed by another codec can't be read either.
    return messageOf(error)
  }
}
