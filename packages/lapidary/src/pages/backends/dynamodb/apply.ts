import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { isBeyond } from '../../../derived/change.ts'
import { LapidaryError } from '../../../model/errors.ts'
import { compareBytes } from '../../../model/key-text.ts'
import { isUnsettled } from '../../../table/database-error.ts'
import { Again, retrying } from '../../../table/retrying.ts'
import type { TableClient } from '../../../table/table-client.ts'
import { transactWrites } from '../../../table/transaction.ts'
import { comparePlaces } from '../../place.ts'
import type { ListChange, ListEntry } from '../../sorted-lists.ts'
import { editOf, type TreeStep } from './edit.ts'
import { markMoves, putFull, readMark, type TreesState } from './lists-state.ts'
import { treePartition } from './nodes.ts'
import { splitBranch } from './split-branch.ts'

/** Steps of a transaction: each may write a leaf, cut it, and write a branch; some of 100 items are left for names and marks. */
const MOST_STEPS = 30
/** DynamoDB's cap on the items of a transaction. */
const MOST_ITEMS = 100
const MOST_CONFLICTS = 40

/** The trees of one generation, and whether they are being filled. */
export interface Trees extends TreesState {
  readonly namespace: string
}

/** What steps change in the trees of a generation: what to write in one transaction, and what to do once that is made. */
export type TreesEditor = (table: TableClient, trees: Trees, steps: readonly TreeStep[]) => Promise<TreesEdit>

export interface TreesEdit {
  readonly writes: readonly TransactWriteItem[]
  readonly made?: () => Promise<void>
}

/** Takes in changes of a shard, some in each transaction, together with how far the shard is. */
export async function applyChanges(
  table: TableClient,
  namespace: string,
  shardId: string,
  changes: readonly ListChange[],
  clock: () => number,
  editor: TreesEditor = editSegments,
): Promise<void> {
  const effective = changes.filter(({ steps }) => steps.length > 0)
  for (const part of inParts(effective, ({ steps }) => steps.length)) {
    await applyPart(table, namespace, shardId, part, { clock, editor })
  }
}

function applyPart(
  table: TableClient,
  namespace: string,
  shardId: string,
  changes: readonly ListChange[],
  how: { readonly clock: () => number; readonly editor: TreesEditor },
): Promise<void> {
  return untilMade(table, namespace, async () => {
    const mark = await readMark(table, namespace, shardId)
    const { sequenceNumber: done, state } = mark
    const left = changes.filter(({ sequenceNumber }) => isBeyond(sequenceNumber, done))
    const last = left.at(-1)
    if (last === undefined || state === 'absent') return 'made'
    const steps = left.flatMap((change) =>
      change.steps.map(({ op, ...entry }): TreeStep => {
        return { op: op === 'remove' && state === 'filling' ? 'bury' : op, ...entry }
      }),
    )
    const moves = markMoves(table, namespace, shardId, mark, { to: last.sequenceNumber, now: how.clock() })
    const made = await writeEdit(table, await how.editor(table, { namespace, ...mark }, steps), moves)
    if (made !== 'too large') return made
    const half = Math.ceil(left.length / 2)
    await applyPart(table, namespace, shardId, left.slice(0, half), how)
    await applyPart(table, namespace, shardId, left.slice(half), how)
    return 'made'
  })
}

/** Adds what a scan saw; in the order of the trees, so that one transaction fills few leaves. */
export async function fillTrees(table: TableClient, trees: Trees, entries: readonly ListEntry[]): Promise<void> {
  const sorted = [...entries].sort((a, b) => compareBytes(a.group, b.group) || comparePlaces(a.place, b.place))
  for (const part of inParts(sorted, () => 1)) await fillPart(table, trees, part)
}

function fillPart(table: TableClient, trees: Trees, entries: readonly ListEntry[]): Promise<void> {
  return untilMade(table, trees.namespace, async () => {
    const steps = entries.map((entry): TreeStep => ({ op: 'fill', ...entry }))
    const made = await writeEdit(table, await editSegments(table, trees, steps), [])
    if (made !== 'too large') return made
    const half = Math.ceil(entries.length / 2)
    await fillPart(table, trees, entries.slice(0, half))
    await fillPart(table, trees, entries.slice(half))
    return 'made'
  })
}

const editSegments: TreesEditor = async (table, { namespace, generation, state }, steps) => {
  const edits = await Promise.all(
    [...byGroup(steps)].map(async ([group, own]) => {
      const partition = treePartition(namespace, generation, group)
      return { partition, ...(await editOf(table, { namespace, generation, state, group }, own)) }
    }),
  )
  const full = edits.find((edit) => edit.full !== undefined)?.full
  return {
    writes: [
      ...edits.flatMap((edit) => edit.writes),
      ...(full === undefined ? [] : [putFull(table, { namespace, generation }, full)]),
    ],
    async made() {
      for (const { partition, crowded } of edits) {
        for (const fence of crowded) await splitBranch(table, partition, fence)
      }
    },
  }
}

/** One try to write what steps change in all trees, with other writes, in one transaction. */
export async function writeEdit(
  table: TableClient,
  { writes, made }: TreesEdit,
  others: readonly TransactWriteItem[],
): Promise<'made' | 'too large' | Again> {
  // Changes that take each other back are taken in too, so that the first of them does not come again.
  if (writes.length + others.length === 0) return 'made'
  if (writes.length + others.length > MOST_ITEMS) return 'too large'
  try {
    await transactWrites(table, [...others, ...writes], { ReturnConsumedCapacity: 'TOTAL' })
  } catch (error) {
    if (!isUnsettled(error)) throw error
    return new Again(error)
  }
  await made?.()
  return 'made'
}

/** Tries until it is made or too large. */
export async function untilMade(
  table: TableClient,
  namespace: string,
  attempt: () => Promise<'made' | 'too large' | Again>,
): Promise<void> {
  const gaveUp = (_: number, cause: unknown): never => {
    const message = `other writes kept conflicting with the page index of ${namespace}; it is tried again`
    throw new LapidaryError('unavailable', message, { cause })
  }
  await retrying(table, { most: MOST_CONFLICTS, steadyFrom: 4, gaveUp }, attempt)
}

export function byGroup(steps: readonly TreeStep[]): ReadonlyMap<string, readonly TreeStep[]> {
  const groups = new Map<string, TreeStep[]>()
  for (const step of steps) {
    const known = groups.get(step.group)
    if (known === undefined) groups.set(step.group, [step])
    else known.push(step)
  }
  return groups
}

function inParts<T>(all: readonly T[], stepsOf: (each: T) => number): readonly (readonly T[])[] {
  const parts: T[][] = []
  let steps = MOST_STEPS
  for (const each of all) {
    steps += stepsOf(each)
    if (steps > MOST_STEPS) {
      parts.push([])
      steps = stepsOf(each)
    }
    parts.at(-1)?.push(each)
  }
  return parts
}
