import type { ListChange, ListsState, Place, RankAnswer, RankQuestion, SortedLists } from 'lapidary'
import { comparePlaces, isBeyond } from 'lapidary/internal'

/**
 * Makes sorted lists in memory: all entries, filtered, sorted and sliced. They are the truth that other stores are compared with.
 *
 * @example
 * ```ts run
 * const lists = memoryLists()
 * const place = { score: 1, member: 'a' }
 * await lists.apply('shard', [{ sequenceNumber: '1', steps: [{ op: 'add', group: '42', cell: 'en#5', place }] }])
 * ```
 */
export function memoryLists(): SortedLists {
  const groups = new Map<string, Map<string, { readonly cell: string | undefined; readonly place: Place }>>()
  const marks = new Map<string, string>()
  let state: ListsState = 'absent'
  const entriesOf = (group: string): Map<string, { readonly cell: string | undefined; readonly place: Place }> => {
    const entries = groups.get(group) ?? new Map()
    groups.set(group, entries)
    return entries
  }
  const idOf = ({ score, member }: Place): string => `${score}\u0000${member}`
  return {
    name: 'memory',
    async select({
      groups: asked,
      includes,
      lower,
      upper,
      ascending,
      offset,
      near = 0,
    }: RankQuestion): Promise<RankAnswer> {
      const entries = asked
        .flatMap((group) => [...(groups.get(group)?.values() ?? [])])
        .filter((entry) => entry.cell !== undefined)
        .filter(({ place }) => lower === undefined || comparePlaces(place, lower) >= 0)
        .filter(({ place }) => upper === undefined || comparePlaces(place, upper) < 0)
        .sort((a, b) => comparePlaces(a.place, b.place))
      if (!ascending) entries.reverse()
      const wanted = entries.filter(({ cell = '' }) => includes(cell))
      const [found, last] = [wanted[offset], wanted.slice(offset, offset + near).at(-1)]
      const nearby = found && last ? entries.slice(entries.indexOf(found), entries.indexOf(last) + 1) : []
      const cells = nearby.map(({ cell = '' }) => cell)
      return { total: wanted.length, place: found?.place, near: cells, rcu: 0, rounds: 0 }
    },
    state: async () => state,
    async create() {
      if (state === 'absent') state = 'ready'
    },
    async fill() {
      state = 'filling'
      groups.clear()
      return {
        async add(entries) {
          for (const { group, cell, place } of entries) {
            const own = entriesOf(group)
            if (!own.has(idOf(place))) own.set(idOf(place), { cell, place })
          }
        },
        async finish() {
          state = 'ready'
        },
        isGivenUp: () => false,
      }
    },
    async apply(shardId: string, changes: readonly ListChange[]): Promise<void> {
      if (state === 'absent') return
      for (const { sequenceNumber, steps } of changes) {
        const mark = marks.get(shardId)
        if (!isBeyond(sequenceNumber, mark)) continue
        marks.set(shardId, sequenceNumber)
        for (const { op, group, cell, place } of steps) {
          const entries = entriesOf(group)
          const id = idOf(place)
          if (op === 'add') entries.set(id, { cell, place })
          // While the lists are filled, a removed entry leaves a mark, so that the scan does not bring it back.
          else if (state === 'filling') entries.set(id, { cell: undefined, place })
          else if (entries.get(id)?.cell === cell) entries.delete(id)
        }
      }
    },
    async inspect() {
      return {
        groupOf: () => undefined,
        async *groups() {
          yield* groups.keys()
        },
        async *entries(group) {
          const own = [...(groups.get(group)?.values() ?? [])]
          yield own.flatMap(({ cell, place }) => (cell === undefined ? [] : [{ group, cell, place }]))
        },
        cellAt: async (group, place) => groups.get(group)?.get(idOf(place))?.cell,
      }
    },
    async validate() {},
    async close() {},
  }
}
