import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { guardedWrite, keyEntry } from '../../../derived/guarded-write.ts'
import { type Entry, entryBytes } from '../../../model/entry.ts'
import { readEntry } from '../../../table/read-entries.ts'
import type { TableClient } from '../../../table/table-client.ts'
import { tooManyLists } from '../../cells.ts'
import { comparePlaces, type Place, placeText } from '../../place.ts'
import type { ListEntry } from '../../sorted-lists.ts'
import { cutLeaf } from './cut-leaf.ts'
import type { TreesState } from './lists-state.ts'
import { locate } from './locate.ts'
import {
  BRANCH_PREFIX,
  type Branch,
  branchEntry,
  branchFrom,
  branchKey,
  countsOf,
  FIRST,
  fullEntry,
  LEAF_PREFIX,
  type Leaf,
  leafEntry,
  leafFrom,
  leafKey,
  type Names,
  namesEntry,
  namesFrom,
  namesKey,
  treePartition,
} from './nodes.ts'
import type { Packed } from './packing.ts'

/**
 * What happens to an entry. While trees are filled, a removal leaves a tombstone, so that a scan which saw the entry before does
 * not bring it back; `fill` adds only where there is neither an entry nor a tombstone.
 */
export interface TreeStep extends ListEntry {
  readonly op: 'add' | 'remove' | 'bury' | 'fill'
}

/** The list of tombstones; no list of items is called so. */
export const TOMBSTONES = '~'

/** What has to be written so that a group's tree has taken in some steps. */
export interface Edit {
  readonly writes: readonly TransactWriteItem[]
  /** Branches that have more leaves now than one should. */
  readonly crowded: readonly string[]
  /** Why the tree is given up by this. */
  readonly full?: string
}

/** Leaves of a branch: all of them are read to find one entry, some 9 RCU. */
export const MOST_LEAVES = 128

/**
 * Bytes of the names of a tree's lists. Every look-up reads them, which is 12.5 RCU then, as much as a tree of 100,000 entries takes
 * without; and the names of 30 trees, of as many steps, fit into one transaction of 4 MB.
 */
const MOST_NAME_BYTES = 100_000

const UNCHANGED: Edit = { writes: [], crowded: [] }
const NEW_LEAF: Leaf = { fence: FIRST, entries: [], stored: undefined }
const NEW_BRANCH: Branch = { fence: FIRST, counts: new Map(), leaves: 0, stored: undefined }

/** A tree, and what is known of it. */
export interface EditedTree extends TreesState {
  readonly namespace: string
  readonly group: string
}

/** Reads what the steps of one group touch, and says what to write. Steps that change nothing need no write. */
export async function editOf(
  table: TableClient,
  { namespace, generation, state, group }: EditedTree,
  steps: readonly TreeStep[],
): Promise<Edit> {
  const partition = treePartition(namespace, generation, group)
  const [names, leaves] = await Promise.all([
    readNames(table, partition),
    locate(
      table,
      partition,
      LEAF_PREFIX,
      steps.map(({ place }) => placeText(place)),
      (stored) => (stored === undefined ? NEW_LEAF : leafFrom(stored)),
    ),
  ])
  if (names.full !== undefined) return UNCHANGED
  const cells = [...names.cells]
  const changed = changedLeaves(leaves, cells, state, steps)
  if (changed.length === 0) return UNCHANGED
  const isNamed = cells.length > names.cells.length
  const named = (entry: Entry) => guardedWrite(table.tableName, namesKey(partition), names.stored, entry)
  if (isNamed && entryBytes(namesEntry(cells)) > MOST_NAME_BYTES) {
    const full = tooManyLists(namespace, group, cells)
    return { writes: [named(fullEntry(full))], crowded: [], full }
  }
  const branches = await branchesOf(table, partition, changed)
  const tree = { tableName: table.tableName, partition }
  const edits = [...branches].map(([branch, members]) => branchEdit(tree, branch, members))
  return {
    writes: [...(isNamed ? [named(namesEntry(cells))] : []), ...edits.flatMap(({ writes }) => writes)],
    crowded: edits.flatMap(({ crowded }) => crowded),
  }
}

/** The leaves that steps change, with what they hold then. Lists that have no number yet are added to the cells. */
function changedLeaves(
  leaves: ReadonlyMap<string, Leaf>,
  cells: string[],
  state: TreesState['state'],
  steps: readonly TreeStep[],
): readonly Changed[] {
  const numberOf = numbering(cells)
  const edited = new Map<Leaf, Packed[]>()
  for (const step of steps) {
    const leaf = leaves.get(placeText(step.place)) as Leaf
    const entries = edited.get(leaf) ?? [...leaf.entries]
    if (isEffective(entries, step, numberOf)) edited.set(leaf, entries)
  }
  // Once the trees are filled, tombstones are of no use any more.
  const dropped = state === 'filling' ? -1 : cells.indexOf(TOMBSTONES)
  return [...edited]
    .map(([leaf, entries]) => [leaf, entries.filter(({ cell }) => cell !== dropped)] as const)
    .filter(([leaf, entries]) => !isSame(leaf.entries, entries))
}

/** What has to be written of a branch and of its leaves that change. */
function branchEdit(
  { tableName, partition }: { readonly tableName: string; readonly partition: string },
  branch: Branch,
  members: readonly Changed[],
): Edit {
  const parts = members.map(([leaf, entries]) => ({ leaf, pieces: cutLeaf(leaf.entries, entries) }))
  const made = parts.reduce((sum, { leaf, pieces }) => sum + pieces.length - (leaf.stored === undefined ? 0 : 1), 0)
  const writes: TransactWriteItem[] = []
  let count = branch.leaves + made
  for (const { leaf, pieces } of parts) {
    // The first leaf of a branch stays while there are others: entries from the branch's fence on must not go to the branch before.
    const isKept = pieces.length === 0 && leaf.fence === branch.fence && count > 0 && leaf.stored !== undefined
    if (isKept) count += 1
    const [own = [], ...others] = pieces
    const isLeft = own.length > 0 || isKept
    if (isLeft || leaf.stored !== undefined) {
      const after = isLeft ? leafEntry({ entries: own }) : undefined
      writes.push(guardedWrite(tableName, leafKey(partition, leaf.fence), leaf.stored, after))
    }
    for (const entries of others) {
      const key = leafKey(partition, placeText((entries[0] as Packed).place))
      writes.push(guardedWrite(tableName, key, undefined, leafEntry({ entries })))
    }
  }
  const after = count === 0 ? undefined : branchEntry({ counts: countsAfter(branch, members), leaves: count })
  if (after !== undefined || branch.stored !== undefined) {
    writes.push(guardedWrite(tableName, branchKey(partition, branch.fence), branch.stored, after))
  }
  return { writes, crowded: count > MOST_LEAVES ? [branch.fence] : [] }
}

function countsAfter(branch: Branch, members: readonly Changed[]): ReadonlyMap<number, number> {
  const counts = new Map(branch.counts)
  for (const [leaf, entries] of members) {
    for (const [cell, amount] of countsOf([{ entries }])) counts.set(cell, (counts.get(cell) ?? 0) + amount)
    for (const [cell, amount] of countsOf([leaf])) counts.set(cell, (counts.get(cell) ?? 0) - amount)
  }
  return counts
}

export async function readNames(table: TableClient, partition: string): Promise<Names> {
  return namesFrom(await readEntry(table, keyEntry(namesKey(partition))))
}

type Changed = readonly [leaf: Leaf, entries: readonly Packed[]]

async function branchesOf(
  table: TableClient,
  partition: string,
  changed: readonly Changed[],
): Promise<ReadonlyMap<Branch, readonly Changed[]>> {
  const located = await locate(
    table,
    partition,
    BRANCH_PREFIX,
    changed.map(([{ fence }]) => fence),
    (stored) => (stored === undefined ? NEW_BRANCH : branchFrom(stored)),
  )
  const members = new Map<Branch, Changed[]>()
  for (const each of changed) {
    const branch = located.get(each[0].fence) as Branch
    members.set(branch, [...(members.get(branch) ?? []), each])
  }
  return members
}

/** Gives a list its number, a new one where it has none. */
export function numbering(cells: string[]): (cell: string) => number {
  const numbers = new Map(cells.map((cell, number) => [cell, number]))
  return (cell) => {
    const known = numbers.get(cell)
    if (known !== undefined) return known
    const number = cells.push(cell) - 1
    numbers.set(cell, number)
    return number
  }
}

/** Where an entry is, or belongs. */
function indexOf(entries: readonly Packed[], place: Place): { readonly at: number; readonly found: boolean } {
  let [low, high] = [0, entries.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    const order = comparePlaces((entries[middle] as Packed).place, place)
    if (order === 0) return { at: middle, found: true }
    if (order < 0) low = middle + 1
    else high = middle
  }
  return { at: low, found: false }
}

/** Does a step; false where it changes nothing. An item is in one list of its group: one that is added elsewhere has left it. */
export function isEffective(
  entries: Packed[],
  { op, cell, place }: TreeStep,
  numberOf: (cell: string) => number,
): boolean {
  const { at, found } = indexOf(entries, place)
  if (op === 'fill' && found) return false
  const number = numberOf(op === 'bury' ? TOMBSTONES : cell)
  if (op !== 'remove') {
    if (found && entries[at]?.cell === number) return false
    entries.splice(at, found ? 1 : 0, { place, cell: number })
    return true
  }
  if (!found || entries[at]?.cell !== number) return false
  entries.splice(at, 1)
  return true
}

export function isSame(a: readonly Packed[], b: readonly Packed[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ place, cell }, i) => b[i]?.cell === cell && comparePlaces(place, (b[i] as Packed).place) === 0)
  )
}
