import { type Change, compareSequenceNumbers } from '../derived/change.ts'
import type { CopyProjection } from '../derived/copy-projection.ts'
import { netAdditions, type Projection } from '../derived/projection.ts'
import { LapidaryError } from '../model/errors.ts'
import type { TableClient } from '../table/table-client.ts'
import { checkpointMove, readCheckpoint } from './checkpoint.ts'
import { commit, type Guard, isRefusal, transact } from './commit.ts'
import {
  chunkLength,
  type DescribedChange,
  describeChange,
  imagesOf,
  isEffective,
  isPoison,
  messageOf,
} from './described-change.ts'
import { type PoisonRecord, replayGuard, setAside } from './poison.ts'

/** One shard being processed by one owner. */
export interface Lane {
  readonly shardId: string
  /** Who holds the lease; undefined where the platform itself runs one lane for each shard (Lambda). */
  readonly owner: string | undefined
  /** The last sequence number whose derived data is written. */
  sequenceNumber: string | undefined
}

export interface RunnerOptions {
  readonly table: TableClient
  readonly projections: readonly Projection[]
  /** Derived data outside of the transaction. */
  readonly copies?: readonly CopyProjection[]
  /** Called for each record that was set aside, with what is wrong with it. */
  readonly onPoison?: (change: Change, reason: string) => void
}

/** Applies changes to derived data, exactly once each. */
export interface Runner {
  readonly table: TableClient
  /**
   * Writes the derived data of a batch, in sequence order, and moves the lane's checkpoint with it. A batch that was
   * applied before, whole or in part, is applied only from where the checkpoint stands.
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

/** DynamoDB's cap on the items of a transaction, less the checkpoint. */
const MOST_WRITES = 99

export function createRunner({ table, projections, copies = [], onPoison }: RunnerOptions): Runner {
  async function apply(lane: Lane, changes: readonly Change[]): Promise<void> {
    let rest = inOrder(changes)
      .filter((change) => isPending(lane, change))
      .map((change) => describeChange(change, projections))
      .filter((described) => isEffective(described, copies))
    while (rest.length > 0) {
      await applyChunk(lane, rest.slice(0, chunkLength(rest, MOST_WRITES)))
      rest = rest.filter(({ change }) => isPending(lane, change))
    }
  }

  /** Applies a chunk, or its beginning when something in it is refused. */
  async function applyChunk(lane: Lane, chunk: readonly DescribedChange[]): Promise<void> {
    try {
      for (const copy of copies) {
        const concerned = chunk.map(({ change }) => change).filter((change) => copy.concerns(change))
        if (concerned.length > 0) await copy.apply(concerned)
      }
      await commitChunk(lane, chunk)
    } catch (error) {
      if (!isRefusal(error)) throw error
      const [only] = chunk
      if (chunk.length > 1) await applyChunk(lane, chunk.slice(0, Math.ceil(chunk.length / 2)))
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
        await commitChunk(lane, [{ ...described, refusedBy }])
        return
      } catch (error) {
        if (!isRefusal(error) || leftOut === images) throw error
      }
    }
  }

  async function commitChunk(lane: Lane, chunk: readonly DescribedChange[]): Promise<void> {
    const last = (chunk.at(-1) as DescribedChange).change.sequenceNumber
    const kept = chunk.filter(isPoison).map((described) => keptOf(lane.shardId, described))
    const outcome = await commit(table, checkpointGuard(table, lane, last), {
      additions: netAdditions(chunk.flatMap(({ additions }) => additions)),
      others: kept.map((record) => setAside(table, record)),
    })
    if (outcome === 'spent') return
    lane.sequenceNumber = last
    for (const { change, reason } of kept) onPoison?.(change, reason)
  }

  return {
    table,
    apply,
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

/** Each change once, in order of sequence: a batch may be put together from several reads. */
function inOrder(changes: readonly Change[]): readonly Change[] {
  const sorted = [...changes].sort((a, b) => compareSequenceNumbers(a.sequenceNumber, b.sequenceNumber))
  return sorted.filter(({ sequenceNumber }, i) => sequenceNumber !== sorted[i - 1]?.sequenceNumber)
}

function isPending({ sequenceNumber }: Lane, change: Pick<Change, 'sequenceNumber'>): boolean {
  return sequenceNumber === undefined || compareSequenceNumbers(change.sequenceNumber, sequenceNumber) > 0
}
