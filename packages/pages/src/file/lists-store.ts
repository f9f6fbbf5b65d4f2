import { LapidaryError, type ListsFilling, type RankAnswer, type RankQuestion, type SortedLists } from 'lapidary'
import type { ChangingLists, DiskListsView } from './disk-list.ts'
import { allNames, inspectLists, type ListsSource } from './inspect-lists.ts'
import type { ListNames } from './list-names.ts'
import { phaseOf, setPhase } from './phase.ts'
import { entryAt } from './placed-entry.ts'
import { addSeen, applyChanges, type EntryForm, groupProblem } from './placed-lists.ts'

/** A store of lists whose entries are places. Files and S3 are one each. */
export interface ListsStore extends ListsSource {
  readonly name: string
  readonly form: EntryForm
  /** Steps that share one write. */
  readonly stepsAtOnce: number
  select(question: RankQuestion): Promise<RankAnswer>
  /**
   * Makes changes in one turn of the event loop; all of them are durable when it resolves.
   *
   * @param warm Reads that the changes will make, which a distant store makes side by side before.
   */
  write<T>(make: (lists: ChangingLists) => T, warm?: (lists: DiskListsView) => readonly (() => void)[]): Promise<T>
  /** Gives up the lists so far, and lets new ones be filled; returns the number of this filling. */
  beginFilling(): Promise<number>
  /** Merges the changes into the base file. */
  commit(): Promise<void>
  /** Names what is wrong with the store itself. */
  problems(): Promise<readonly string[]>
}

/** The lists of one collection in a store. */
export function sortedListsIn(store: ListsStore, names: ListNames): Omit<SortedLists, 'close'> {
  const phase = async () =>
    (await store.ask((lists) => phaseOf(lists, names))) ?? ({ state: 'absent', generation: 0 } as const)
  return {
    name: store.name,
    select: (question) => store.select(question),
    async state() {
      try {
        return (await phase()).state
      } catch (error) {
        // Damaged lists have to be built anew, as absent ones.
        if (error instanceof LapidaryError && error.code === 'page_index_damaged') return 'absent'
        throw error
      }
    },
    async create() {
      // Another process may have the lock, which is not needed where there is nothing to do.
      if ((await phase()).state !== 'absent') return
      await store.write((lists) => {
        if (phaseOf(lists, names).state === 'absent') setPhase(lists, names, { state: 'ready', generation: 1 })
      })
    },
    async fill(): Promise<ListsFilling> {
      const generation = await store.beginFilling()
      const whileFilling = (make: (lists: ChangingLists) => void): Promise<void> =>
        store.write((lists) => {
          const now = phaseOf(lists, names)
          if (now.state === 'filling' && now.generation === generation) return make(lists)
          throw new LapidaryError('unavailable', 'another process began to fill the page index; run it again')
        })
      return {
        async add(entries) {
          for (const part of parts(entries, store.stepsAtOnce)) {
            await whileFilling((lists) => addSeen(lists, names, store.form, generation, part))
          }
        },
        async finish() {
          await whileFilling((lists) => setPhase(lists, names, { state: 'ready', generation }))
          await removeLeft(store, names, generation)
          // A base file takes less room than the log, and less memory or fewer reads at a start.
          await store.commit()
        },
        isGivenUp: () => false,
      }
    },
    async apply(shardId, changes) {
      for (const part of parts(changes, store.stepsAtOnce)) {
        // Absent lists take in nothing, so they need no lock either.
        const { state, generation } = await phase()
        if (state === 'absent') return
        await store.write(
          (lists) => applyChanges(lists, names, store.form, shardId, part),
          (lists) =>
            part.flatMap(({ steps }) =>
              steps.map(({ group, cell, place }) => () => {
                entryAt(lists.list(names.entries(generation, group, cell)), place)
              }),
            ),
        )
      }
    },
    async inspect() {
      return inspectLists(store, names, (await phase()).generation)
    },
    async validate(group) {
      const problem = await store.ask((lists) => groupProblem(lists, names, group))
      const [first = problem] = await store.problems()
      if (first !== undefined) throw new Error(first)
    },
  }
}

/** Removes lists that a filling has left. */
export async function removeLeft(
  store: Pick<ListsStore, 'names' | 'write'>,
  names: ListNames,
  generation: number,
): Promise<void> {
  for await (const lists of allNames(store)) {
    const left = lists.filter((list) => names.isLeft(list, generation))
    await store.write(({ change }) => {
      for (const list of left) change({ type: 'drop', list })
    })
  }
}

function* parts<T>(items: readonly T[], atOnce: number): Generator<readonly T[], undefined> {
  for (let start = 0; start < items.length; start += atOnce) yield items.slice(start, start + atOnce)
}
