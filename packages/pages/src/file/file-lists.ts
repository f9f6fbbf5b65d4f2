import type { PageStore, SortedLists } from 'lapidary'
import { knownOptions, type OptionNames } from 'lapidary/internal'
import { type ListNames, listNames } from './list-names.ts'
import { ListsFolder } from './lists-folder.ts'
import { type ListsStore, removeLeft, sortedListsIn } from './lists-store.ts'
import { nearCells } from './near-cells.ts'
import { type DiskListsOptions, requireMemberBytes } from './options.ts'
import { phaseOf, setPhase } from './phase.ts'
import { entryFor } from './placed-entry.ts'
import { selectPlace } from './placed-lists.ts'

/** The options of `fileLists`. */
export interface FileListsOptions extends Omit<DiskListsOptions, 'memberBytes' | 'durability'> {
  /**
   * Bytes of ids for which entries have room, 10 to 254, longer ones take more; 20 when not given, into which made ids of 26 characters are packed.
   * Fixed when the folder is made.
   */
  readonly memberBytes?: number
}

const NAMES: OptionNames<FileListsOptions> = {
  ...{ folder: true, commitBytes: true, commitMs: true, memberBytes: true, cacheBytes: true, onError: true },
}
const MEMBER_BYTES = 20
const STEPS_AT_ONCE = 500

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
  const { memberBytes = MEMBER_BYTES } = knownOptions('fileLists', options, NAMES, 'declaration_invalid')
  requireMemberBytes('fileLists', memberBytes)
  const folder = new ListsFolder({ ...options, memberBytes })
  return {
    name: 'file',
    apart: true,
    open: ({ namespace, table }) => listsIn(folder, listNames(`${table.tableName}/${namespace}`)),
  }
}

/** The lists of one collection in a folder. */
export function listsIn(folder: ListsFolder, names: ListNames): SortedLists {
  const store: ListsStore = {
    name: 'file',
    form: entryFor,
    stepsAtOnce: STEPS_AT_ONCE,
    ask: (ask) => folder.read(ask),
    askLatest: (ask) => folder.readLatest(ask),
    names: (limit, from) => folder.names(limit, from),
    async select(question) {
      const answer = await folder.read((lists) => {
        const found = selectPlace(lists, names, question)
        const near = found.place && nearCells(lists, names, question, found.place)
        return near === undefined ? found : { ...found, near }
      })
      return answer ?? { total: 0, place: undefined, rcu: 0, rounds: 0 }
    },
    write: (make) => folder.write(make),
    async beginFilling() {
      await folder.mend()
      const generation = await folder.write((lists) => {
        const next = phaseOf(lists, names).generation + 1
        setPhase(lists, names, { state: 'filling', generation: next })
        return next
      })
      await removeLeft(store, names, generation)
      return generation
    },
    commit: () => folder.commit(),
    problems: () => folder.problems(),
  }
  return { ...sortedListsIn(store, names), close: () => folder.close() }
}
