import { guardedWrite } from '../../../derived/guarded-write.ts'
import { isCanceled } from '../../../table/error-meaning.ts'
import type { TableClient } from '../../../table/table-client.ts'
import { transactWrites } from '../../../table/transaction.ts'
import { MOST_LEAVES } from './edit.ts'
import { branchEntry, branchKey, countsOf } from './nodes.ts'
import { fenceAfter, readLeaves, readUpper } from './read-tree.ts'

/** Of a branch that is cut because newer leaves came, the older part gets so much: little comes into it any more. */
const OLDER_PART = 0.75

/**
 * Cuts a branch in two. Each change of a leaf writes its branch too, so leaves that are read after the branch are as it counts
 * them, or else the cut is refused, and the next change tries again.
 */
export async function splitBranch(table: TableClient, partition: string, fence: string): Promise<void> {
  const { branches } = await readUpper(table, partition, { consistent: true })
  const i = branches.findIndex((each) => each.fence === fence)
  const branch = branches[i]
  if (branch === undefined || branch.leaves <= MOST_LEAVES) return
  const { leaves } = await readLeaves(table, partition, fence, fenceAfter(branches, i), { consistent: true })
  const isLast = i === branches.length - 1
  const at = Math.floor(leaves.length * (isLast ? OLDER_PART : 0.5))
  const [lower, upper] = [leaves.slice(0, at), leaves.slice(at)]
  const first = upper[0]
  if (first === undefined || lower.length === 0) return
  const write = (key: string, stored: typeof branch.stored, part: typeof leaves) =>
    guardedWrite(
      table.tableName,
      branchKey(partition, key),
      stored,
      branchEntry({ counts: countsOf(part), leaves: part.length }),
    )
  try {
    await transactWrites(table, [write(fence, branch.stored, lower), write(first.fence, undefined, upper)])
  } catch (error) {
    if (!isCanceled(error)) throw error
  }
}
