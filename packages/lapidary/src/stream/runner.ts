import { type Change, isBeyond } from '../derived/change.ts'
import { copiesOf, type Projection, sumsOf } from '../derived/projection.ts'
import type { KeptShapes } from '../derived/register/kept-shapes.ts'
import { LapidaryError } from '../model/errors.ts'
import type { TableClient } from '../table/table-client.ts'
import { type Batch, inOrder, type Lane } from './batch.ts'
import { adoptRevision, type Checkpoint, type FollowedTable, readCheckpoint } from './checkpoint.ts'
import { Counting, type Transaction } from './counting.ts'
import type { DeadLetter } from './dead-letters.ts'
import { describeChange, isEffective } from './described-change.ts'

export interface RunnerOptions {
  readonly table: TableClient
  /** What it counts where no register says so. */
  readonly projections: readonly Projection[]
  /** What it keeps by the table's register, instead. */
  readonly shapes?: Pick<KeptShapes, 'current' | 'refresh' | 'caughtUp'> | undefined
  /** Told of each change of which something can't be counted or copied. */
  readonly onDeadLetter?: (letter: DeadLetter) => void
  /** Whose checkpoints it moves; undefined for the one that counts. */
  readonly follower?: string | undefined
}

/** Applies changes to derived data, exactly once each. */
export interface Runner {
  readonly table: FollowedTable
  /**
   * Has a lane counted by the register as it is now. To be called before anything of it is read, and again once its failure
   * {@link isOutdated}.
   *
   * @param known Its checkpoint, where that was read a moment ago.
   * @returns Where its checkpoint is, and the revision by which it is counted from now on.
   * @throws {LapidaryError} `unavailable` when the lease was lost, or the register keeps changing.
   */
  takeUp(lane: Lane, known?: Checkpoint): Promise<Pick<Lane, 'sequenceNumber' | 'register'>>
  /** Told that everything is counted that the stream has told of. */
  caughtUp(): Promise<void>
  /** What there is to count of changes of a lane, in sequence order; nothing of those that were counted before. */
  batchOf(lane: Lane, changes: readonly Change[]): Batch
  /**
   * Counts as much of the batches as goes into one transaction, and moves the checkpoint of each lane with it. If that is
   * refused, each lane is tried by itself, so that none holds up the others. What moved is for the lanes to take in.
   *
   * Never throws.
   */
  countNext(batches: readonly Batch[]): Promise<Transaction>
  /**
   * Moves the checkpoint over records that change nothing, so that the stream's retention does not overtake it.
   *
   * @returns Where it is then, which is elsewhere when another has moved it.
   */
  advance(lane: Lane, to: string): Promise<string | undefined>
}

const MOST_TAKEN_UP = 20

export function createRunner(options: RunnerOptions): Runner {
  const { shapes, onDeadLetter, follower } = options
  const table: FollowedTable = { ...options.table, follower }
  let sums = sumsOf(options.projections)
  let copies = copiesOf(options.projections)
  let revision: number | undefined
  /** Whether the table knows that the stream was once counted to its end. */
  let isCounted = false

  async function takeUp(lane: Lane, known?: Checkpoint): Promise<Pick<Lane, 'sequenceNumber' | 'register'>> {
    let checkpoint = known ?? (await readCheckpoint(table, lane.shardId))
    if (shapes === undefined) return { sequenceNumber: checkpoint.sequenceNumber, register: undefined }
    let kept = await shapes.current()
    for (let tries = 1; tries <= MOST_TAKEN_UP; tries++) {
      const isBehind = checkpoint.register > kept.revision
      if (isBehind) kept = await shapes.refresh()
      const isTaken =
        checkpoint.register === kept.revision ||
        (!isBehind && (await adoptRevision(table, lane.shardId, lane.owner, kept.revision)))
      if (isTaken) {
        // What an answer says that comes late is not brought back: of another lane nothing would be counted by what is kept since.
        if (revision === undefined || kept.revision > revision) {
          revision = kept.revision
          sums = sumsOf(kept.projections)
          copies = copiesOf(kept.projections)
        }
        return { sequenceNumber: checkpoint.sequenceNumber, register: kept.revision }
      }
      if (!isBehind) kept = await shapes.refresh()
      checkpoint = await readCheckpoint(table, lane.shardId)
      if (lane.owner !== undefined && checkpoint.owner !== lane.owner) break
    }
    throw new LapidaryError(
      'unavailable',
      `${lane.shardId} can't be counted by the register: its lease was lost, or it keeps changing`,
    )
  }

  /** Of two revisions, the changes of lanes are described by other projections. */
  const isCurrent = (lane: Lane): boolean => lane.register === revision
  const counting = (batches: readonly Batch[]): Counting =>
    new Counting({ table, sums, copies, onDeadLetter }, batches, isCurrent)

  return {
    table,
    async caughtUp() {
      if (isCounted) return
      await shapes?.caughtUp()
      isCounted = true
    },
    takeUp,
    batchOf: (lane, changes) => ({
      lane,
      changes: inOrder(changes)
        .filter(({ sequenceNumber }) => isBeyond(sequenceNumber, lane.sequenceNumber))
        .map((change) => describeChange(change, sums))
        .filter((described) => isEffective(described, copies)),
    }),
    countNext: (batches) => counting(batches).count(),
    advance: async (lane, to) =>
      isCurrent(lane) ? counting([{ lane, changes: [] }]).advance(to) : lane.sequenceNumber,
  }
}
