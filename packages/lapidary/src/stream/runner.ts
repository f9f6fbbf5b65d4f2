import type { Change } from '../derived/change.ts'
import type { CopyProjection } from '../derived/copy-projection.ts'
import { netAdditions, type Projection } from '../derived/projection.ts'
import { LapidaryError } from '../model/errors.ts'
import type { TableClient } from '../table/table-client.ts'
import { type Batch, type Chunk, chunksOf, inOrder, isPending, type Lane } from './batch.ts'
import { checkpointMove, readCheckpoint } from './checkpoint.ts'
import { commit, type Guard, isRefusal, transact } from './commit.ts'
import { type DescribedChange, describeChange, imagesOf, isEffective, isPoison, messageOf } from './described-change.ts'
import { type PoisonRecord, replayGuard, setAside } from './poison.ts'

export interface RunnerOptions {
  readonly table: TableClient
  readonly projections: readonly Projection[]
  /** Derived data outside of the transaction. */
  readonly copies?: readonly CopyProjection[]
  /** Called for each record that was set aside, with what is wrong with it. */
  readonly onPoison?: (change: Change, reason: string) => void
}

/** What became of a transaction. */
export interface Counted {
  /** Why a lane's changes could not be counted; it goes on from its checkpoint. */
  readonly failures: ReadonlyMap<Lane, unknown>
  readonly lanes: number
  /** Items of the transaction, checkpoints and all. */
  readonly writes: number
}

/** Applies changes to derived data, exactly once each. */
export interface Runner {
  readonly table: TableClient
  /** What there is to count of changes of a lane, in sequence order; nothing of those that were counted before. */
  batchOf(lane: Lane, changes: readonly Change[]): Batch
  /**
   * Counts as much of the batches as goes into one transaction, and moves the checkpoint of each lane with it. If that is
   * refused, each lane is tried by itself, so that none holds up the others.
   *
   * Never throws.
   */
  countNext(batches: readonly Batch[]): Promise<Counted>
  /**
   * Counts changes of one lane. What was counted before, whole or in part, is counted only from where the checkpoint stands.
   *
   * @throws {LapidaryError} `unavailable` when the lease was lost or DynamoDB keeps refusing; the lane goes on from its
   * checkpoint.
   */
  apply(lane: Lane, changes: readonly Change[]): Promise<void>
  /** Moves the checkpoint over records that change nothing, lest the stream's retention overtake it. */
  advance(lane: Lane, to: string): Promise<void>
  /**
   * Counts what was set aside, once, and forgets the record. False when it was replayed before.
   *
   * @throws {LapidaryError} `unprocessable` when it still can't be counted; the record stays.
   */
  replay(record: PoisonRecord): Promise<boolean>
}

export function createRunner({ table, projections, copies = [], onPoison }: RunnerOptions): Runner {
  const batchOf = (lane: Lane, changes: readonly Change[]): Batch => ({
    lane,
    rest: inOrder(changes)
      .filter((change) => isPending(lane, change))
      .map((change) => describeChange(change, projections))
      .filter((described) => isEffective(described, copies)),
  })

  async function countNext(batches: readonly Batch[]): Promise<Counted> {
    const { chunks, writes } = chunksOf(batches)
    const failures = new Map<Lane, unknown>()
    if (chunks.length < 2 || !(await areApplied(chunks))) {
      for (const chunk of chunks) {
        await applyChunk(chunk).catch((error: unknown) => failures.set(chunk.lane, error))
      }
    }
    for (const batch of batches) batch.rest = batch.rest.filter(({ change }) => isPending(batch.lane, change))
    return { failures, lanes: chunks.length, writes }
  }

  /** False when something in the way of one lane, or of all, refuses them together. */
  async function areApplied(chunks: readonly Chunk[]): Promise<boolean> {
    try {
      await applyTogether(chunks)
      return true
    } catch {
      return false
    }
  }

  async function applyTogether(chunks: readonly Chunk[]): Promise<void> {
    for (const copy of copies) {
      for (const { changes } of chunks) {
        const concerned = changes.map(({ change }) => change).filter((change) => copy.concerns(change))
        if (concerned.length > 0) await copy.apply(concerned)
      }
    }
    await commitChunks(chunks)
  }

  /** Applies a chunk, or its beginning when something in it is refused. */
  async function applyChunk({ lane, changes }: Chunk): Promise<void> {
    try {
      await applyTogether([{ lane, changes }])
    } catch (error) {
      if (!isRefusal(error)) throw error
      const [only] = changes
      if (changes.length > 1) await applyChunk({ lane, changes: changes.slice(0, Math.ceil(changes.length / 2)) })
      else if (only !== undefined) await applyRefused(lane, only, messageOf(error))
    }
  }

  /** Takes of a change what can be taken, and sets the rest aside. */
  async function applyRefused(lane: Lane, { change }: DescribedChange, reason: string): Promise<void> {
    const refusedBy = await refusing(copies, change)
    const images = imagesOf(change)
    for (const leftOut of [[], ...images.map((image) => [image]), images]) {
      try {
        const described = describeChange(change, projections, leftOut, reason)
        await commitChunks([{ lane, changes: [{ ...described, refusedBy }] }])
        return
      } catch (error) {
        if (!isRefusal(error) || leftOut === images) throw error
      }
    }
  }

  /** Leaves out what was counted since the chunks were cut: a try before may have found a checkpoint elsewhere. */
  async function commitChunks(cut: readonly Chunk[]): Promise<void> {
    const chunks = cut
      .map(({ lane, changes }) => ({ lane, changes: changes.filter(({ change }) => isPending(lane, change)) }))
      .filter(({ changes }) => changes.length > 0)
    const moves = chunks.map(({ lane, changes }) => ({ lane, to: lastOf(changes) }))
    const guards = moves.map(({ lane, to }) => checkpointGuard(table, lane, to))
    const [guard, ...others] = guards
    if (guard === undefined) return
    const changes = chunks.flatMap((chunk) => chunk.changes)
    const kept = chunks.flatMap(({ lane, changes }) =>
      changes.filter(isPoison).map((described) => keptOf(lane.shardId, described)),
    )
    const outcome = await commit(table, together(guard, others), {
      additions: netAdditions(changes.flatMap(({ additions }) => additions)),
      others: [...others.map(({ write }) => write), ...kept.map((record) => setAside(table, record))],
    })
    // Spent, and each checkpoint is where it was to go: the commit was made, and only its answer was lost.
    const isMade = outcome === 'written' || moves.every(({ lane, to }) => lane.sequenceNumber === to)
    if (!isMade) return
    for (const { lane, to } of moves) lane.sequenceNumber = to
    for (const { change, reason } of kept) onPoison?.(change, reason)
  }

  return {
    table,
    batchOf,
    countNext,
    async apply(lane, changes) {
      const batch = batchOf(lane, changes)
      while (batch.rest.length > 0) {
        const { failures } = await countNext([batch])
        if (failures.has(lane)) throw failures.get(lane)
      }
    },
    async advance(lane, to) {
      if ((await transact(table, checkpointGuard(table, lane, to), [])) === 'written') lane.sequenceNumber = to
    },
    async replay(record) {
      const described = describeChange(record.change, projections)
      const problem = record.tooLarge
        ? 'its images were too large to keep; rebuild to count it'
        : record.refusedBy.length > 0
          ? `${record.refusedBy.join(', ')} refused it; rebuild it to take it in`
          : described.reason
      if (problem !== undefined) {
        const { PK } = record.change.key
        throw new LapidaryError('unprocessable', `the record of ${PK} can't be replayed: ${problem}`)
      }
      const { additions } = described
      return (await commit(table, replayGuard(table, record), { additions, others: [] })) === 'written'
    },
  }
}

function lastOf(changes: readonly DescribedChange[]): string {
  return (changes.at(-1) as DescribedChange).change.sequenceNumber
}

/** One guard for all: what moved one checkpoint moved them all, or else one of them is elsewhere than its lane thought. */
function together(guard: Guard, others: readonly Guard[]): Guard {
  const guards = [guard, ...others]
  return {
    name: guards.map(({ name }) => name).join(', '),
    write: guard.write,
    async isSpent() {
      // All are waited for: each learns where its checkpoint is.
      const asked = await Promise.allSettled(guards.map((each) => each.isSpent()))
      const failed = asked.find((each) => each.status === 'rejected')
      if (failed !== undefined) throw failed.reason
      return asked.some((each) => each.status === 'fulfilled' && each.value)
    },
  }
}

/** Moves the checkpoint of a lane; it is spent when the checkpoint is elsewhere than the lane thought. */
function checkpointGuard(table: TableClient, lane: Lane, to: string): Guard {
  return {
    name: lane.shardId,
    write: checkpointMove(table, lane.shardId, lane.owner, lane.sequenceNumber, to),
    async isSpent() {
      const checkpoint = await readCheckpoint(table, lane.shardId)
      if (lane.owner !== undefined && checkpoint.owner !== lane.owner) {
        throw new LapidaryError(
          'unavailable',
          `the lease of ${lane.shardId} went to ${checkpoint.owner ?? 'no process'}`,
        )
      }
      const moved = checkpoint.sequenceNumber !== lane.sequenceNumber
      lane.sequenceNumber = checkpoint.sequenceNumber
      if (moved && checkpoint.sequenceNumber !== to) lane.onMoved?.(checkpoint)
      return moved
    },
  }
}

function keptOf(shardId: string, described: DescribedChange): Omit<PoisonRecord, 'tooLarge'> {
  const { change, uncounted, refusedBy, reason = 'refused' } = described
  return { shardId, change, uncounted, refusedBy, reason }
}

/** The projections of copies that will not take a change. */
async function refusing(copies: readonly CopyProjection[], change: Change): Promise<readonly string[]> {
  const names: string[] = []
  for (const copy of copies.filter((copy) => copy.concerns(change))) {
    try {
      await copy.apply([change])
    } catch (error) {
      if (!isRefusal(error)) throw error
      names.push(copy.name)
    }
  }
  return names
}
