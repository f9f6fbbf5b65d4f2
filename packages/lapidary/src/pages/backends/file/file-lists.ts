import { LapidaryError } from '../../../model/errors.ts'
import { knownOptions, type OptionNames } from '../../../model/known-options.ts'
import type { ListsFilling, PageStore, SortedLists } from '../../sorted-lists.ts'
import { inspectLists } from './inspect-lists.ts'
import { type ListNames, listNames } from './list-names.ts'
import { ListsFolder } from './lists-folder.ts'
import { nearCells } from './near-cells.ts'
import type { DiskListsOptions } from './options.ts'
import { phaseOf, setPhase } from './phase.ts'
import { addSeen, applyChanges, groupProblem, plainForm, selectPlace } from './placed-lists.ts'

/** What `fileLists` takes. */
export interface FileListsOptions extends Omit<DiskListsOptions, 'memberBytes' | 'durability'> {
  /**
   * Bytes of ids for which entries have room, longer ones take more; 20 when not given, into which made ids of 26 characters are packed.
   * Fixed when the folder is made.
   */
  readonly memberBytes?: number
}

const NAMES: OptionNames<FileListsOptions> = {
  ...{ folder: true, commitBytes: true, commitMs: true, memberBytes: true, cacheBytes: true, onError: true },
}
const MEMBER_BYTES = 20
const STEPS_AT_ONCE = 500
const NAMES_AT_ONCE = 1_000

/**
 * Page numbers from sorted lists on a disk. The process that follows the change stream writes them, and any number of others read
 * them in the same folder. For each shard the last change that is in stands in the same log, so a crash loses and doubles nothing.
 *
 * @example
 * ```ts
 * const lapidary = createLapidary({
 *   ...{ client, tableName, cursorSecret },
 *   collections: { comments },
 *   derived: { counts: true, pages: fileLists({ folder: '.lapidary/page-index' }) },
 * })
 * ```
 */
export function fileLists(options: FileListsOptions): PageStore {
  knownOptions('fileLists', options, NAMES, 'declaration_invalid')
  const folder = new ListsFolder({ memberBytes: MEMBER_BYTES, ...options })
  return {
    name: 'file',
    apart: true,
    open: ({ namespace, table }) => listsIn(folder, listNames(`${table.tableName}/${namespace}`)),
  }
}

/** The lists of one collection in a folder. */
export function listsIn(folder: ListsFolder, names: ListNames): SortedLists {
  /** Removes lists that were given up, some at a time so that others have their turns. */
  const tidy = async (generation: number): Promise<void> => {
    for (let from: number | undefined = 0; from !== undefined; ) {
      const { items, next } = await folder.names(NAMES_AT_ONCE, from)
      const left = items.filter((list) => names.isLeft(list, generation))
      await folder.write(({ change }) => {
        for (const list of left) change({ type: 'drop', list })
      })
      from = next
    }
  }
  return {
    name: 'file',
    async select(question) {
      const answer = await folder.read((lists) => {
        const found = selectPlace(lists, names, question)
        const near = found.place && nearCells(lists, names, question, found.place)
        return near === undefined ? found : { ...found, near }
      })
      return answer ?? { total: 0, place: undefined, rcu: 0, rounds: 0 }
    },
    async state() {
      try {
        return (await folder.read((lists) => phaseOf(lists, names).state)) ?? 'absent'
      } catch (error) {
        // It has to be built anew, as one that is not there.
        if (error instanceof LapidaryError && error.code === 'page_index_damaged') return 'absent'
        throw error
      }
    },
    async create() {
      // Where there is nothing to do, another process may have the lock.
      if (await folder.read((lists) => phaseOf(lists, names).state !== 'absent')) return
      await folder.write((lists) => {
        if (phaseOf(lists, names).state === 'absent') setPhase(lists, names, { state: 'ready', generation: 1 })
      })
    },
    async fill(): Promise<ListsFilling> {
      await folder.mend()
      const generation = await folder.write((lists) => {
        const next = phaseOf(lists, names).generation + 1
        setPhase(lists, names, { state: 'filling', generation: next })
        return next
      })
      await tidy(generation)
      const whileFilling = (make: Parameters<typeof folder.write<void>>[0]): Promise<void> =>
        folder.write((lists) => {
          const phase = phaseOf(lists, names)
          if (phase.state === 'filling' && phase.generation === generation) return make(lists)
          throw new LapidaryError('unavailable', 'another process began to fill the page index; run it again')
        })
      return {
        async add(entries) {
          for (let i = 0; i < entries.length; i += STEPS_AT_ONCE) {
            const part = entries.slice(i, i + STEPS_AT_ONCE)
            await whileFilling((lists) => addSeen(lists, names, plainForm, generation, part))
          }
        },
        async finish() {
          await whileFilling((lists) => setPhase(lists, names, { state: 'ready', generation }))
          await tidy(generation)
          // The log has what the base file has in less room, and without memory.
          await folder.commit()
        },
        isGivenUp: () => false,
      }
    },
    async apply(shardId, changes) {
      // What is not there takes in nothing, so it needs no lock either.
      if (!(await folder.read((lists) => phaseOf(lists, names).state !== 'absent'))) return
      for (let i = 0; i < changes.length; i += STEPS_AT_ONCE) {
        const part = changes.slice(i, i + STEPS_AT_ONCE)
        await folder.write((lists) => applyChanges(lists, names, plainForm, shardId, part))
      }
    },
    async inspect() {
      const generation = await folder.read((lists) => phaseOf(lists, names).generation)
      const source = {
        ask: folder.read.bind(folder),
        askLatest: folder.readLatest.bind(folder),
        names: folder.names.bind(folder),
      }
      return inspectLists(source, names, generation ?? 0)
    },
    async validate(group) {
      const problem = await folder.read((lists) => groupProblem(lists, names, group))
      const [first = problem] = await folder.problems()
      if (first !== undefined) throw new Error(first)
    },
    close: () => folder.close(),
  }
}
