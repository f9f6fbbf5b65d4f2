import { LapidaryError } from '../../model/errors.ts'
import { type Run, runsOf } from '../runs.ts'
import type { ListEntry } from '../sorted-lists.ts'
import { type TryingAgain, untilMade } from './apply.ts'
import { editRun, type RunEdit } from './edit.ts'
import { runLeafBytes } from './node-sizes.ts'
import type { CommitResult, NodeStore, TreesState } from './node-store.ts'

/** What a tree writes beside the leaves that it fills: names, a branch, and a leaf that is filled in part. */
const NODES_BESIDE = 3
/** What an entry takes in a leaf beside its member, at most. */
const ENTRY_BYTES = 8

/** Commits runs, and then does what their trees are due. */
export type CommitEdits = (edits: readonly RunEdit[]) => Promise<CommitResult>

/**
 * Adds what a scan saw, in the order of the trees: each commit fills as many leaves as it takes, and writes each of them once. Entries
 * that came in by a change meanwhile, or were removed by one, stay as the change left them.
 */
export async function fillTrees(
  store: NodeStore,
  trying: TryingAgain,
  trees: TreesState,
  entries: readonly ListEntry[],
  commit: CommitEdits,
): Promise<void> {
  let left: readonly Run[] = runsOf(entries)
  while (left.length > 0) {
    const [runs, later] = firstOf(left, store)
    left = joined([...(await fillRuns(store, trying, trees, runs, commit)), ...later])
  }
}

/** Fills one commit's worth of runs, or of their first part, and returns what is left. */
async function fillRuns(
  store: NodeStore,
  trying: TryingAgain,
  trees: TreesState,
  runs: readonly Run[],
  commit: CommitEdits,
): Promise<readonly Run[]> {
  let left: readonly Run[] = []
  let part = runs
  await untilMade(trying, async () => {
    for (;;) {
      const edits = await Promise.all(
        part.map(({ group, entries }) =>
          editRun(
            store,
            { namespace: trying.namespace, group, ...trees },
            entries.map((entry) => ({ op: 'fill', ...entry })),
          ),
        ),
      )
      const made = await commit(edits)
      if (made === 'made') {
        left = [
          ...part.map(({ group, entries }, i) => ({ group, entries: entries.slice(edits[i]?.taken) })),
          ...left,
        ].filter((run) => run.entries.length > 0)
      }
      if (made !== 'too large') return made
      const [less, more] = halves(part, trying.namespace)
      left = [...more, ...left]
      part = less
    }
  })
  return left
}

function halves(runs: readonly Run[], namespace: string): readonly [readonly Run[], readonly Run[]] {
  const half = Math.ceil(runs.length / 2)
  if (runs.length > 1) return [runs.slice(0, half), runs.slice(half)]
  const [{ group, entries } = { group: '', entries: [] }] = runs
  if (entries.length < 2) {
    throw new LapidaryError(
      'unprocessable',
      `an entry of ${group} in the page index ${namespace} is more than one transaction takes`,
    )
  }
  const middle = Math.ceil(entries.length / 2)
  return [[{ group, entries: entries.slice(0, middle) }], [{ group, entries: entries.slice(middle) }]]
}

/** One run for one group: two edits of a tree that begin from the same nodes can't both be right. */
function joined(runs: readonly Run[]): Run[] {
  const all: Run[] = []
  for (const run of runs) {
    const last = all.at(-1)
    if (last?.group !== run.group) all.push(run)
    else all[all.length - 1] = { group: run.group, entries: [...last.entries, ...run.entries] }
  }
  return all
}

/** The first runs that a commit should take, the last one in part, and all others. */
function firstOf(
  runs: readonly Run[],
  { limits, sizes }: Pick<NodeStore, 'limits' | 'sizes'>,
): readonly [first: readonly Run[], others: readonly Run[]] {
  const leafBytes = runLeafBytes(sizes)
  const first: Run[] = []
  let bytes = limits.nodes * leafBytes
  for (const [i, { group, entries }] of runs.entries()) {
    bytes -= NODES_BESIDE * leafBytes
    let taken = 0
    for (; taken < entries.length && bytes > 0; taken++) {
      bytes -= Buffer.byteLength((entries[taken] as ListEntry).place.member) + ENTRY_BYTES
    }
    const least = first.length === 0 ? Math.max(1, taken) : taken
    if (least > 0) first.push({ group, entries: entries.slice(0, least) })
    if (least < entries.length) return [first, [{ group, entries: entries.slice(least) }, ...runs.slice(i + 1)]]
  }
  return [first, []]
}
