import { type Change, isBeyond } from '../derived/change.ts'
import type { CopyProjection } from '../derived/copy-projection.ts'
import { copiesOf, type Projection, sumsOf } from '../derived/projection.ts'
import type { KeptShapes } from '../derived/register/kept-shapes.ts'
import { netAdditions } from '../derived/sum-projection.ts'
import { LapidaryError } from '../model/errors.ts'
import type { TableClient } from '../table/table-client.ts'
import { type Batch, chunksOf, inOrder, type Lane } from './batch.ts'
import { adoptRevision, type Checkpoint, checkpointMove, type FollowedTable, readCheckpoint } from './checkpoint.ts'
import { commit, type Guard, isRefusal } from './commit.ts'
import { type DeadLetter, deadLetterWrite } from './dead-letters.ts'
import { type DescribedChange, describeChange, isEffective, LESS_AND_LESS, messageOf } from './described-change.ts'

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
  readonly table: FollowedTable
  /**
   * Has a lane counted by the register as it is now, and gives its checkpoint. To be called before anything of it is read, and again once
   * {@link isOutdated} says so.
   *
   * @param known Its checkpoint, where that was read a moment ago.
   * @throws {LapidaryError} `unavailable` when the lease was lost, or the register keeps changing.
   */
  takeUp(lane: Lane, known?: Checkpoint): Promise<Checkpoint>
  /** Told that everything is counted that the stream has told of. */
  caughtUp(): Promise<void>
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
  /** Moves the checkpoint over records that change nothing, so that the stream's retention does not overtake it. */
  advance(lane: Lane, to: string): Promise<void>
}

const MOST_TAKEN_UP = 20

/** The error of a lane that was counted by an earlier revision of the register: it begins again from its checkpoint, by the later one. */
class Outdated extends LapidaryError {
  constructor(shardId: string) {
    super('unavailable', `what is derived has changed; ${shardId} is counted by it from its checkpoint on`)
  }
}

/** Whether a lane has to be taken up again, and is as good as before then. */
export function isOutdated(error: unknown): boolean {
  return error instanceof Outdated
}

export function createRunner(options: RunnerOptions): Runner {
  const { shapes, onDeadLetter, follower } = options
  const table: FollowedTable = { ...options.table, follower }
  let sums = sumsOf(options.projections)
  let copies = copiesOf(options.projections)
  let revision: number | undefined
  /** Whether the table knows that the stream was once counted to its end. */
  let isCounted = false

  async function takeUp(lane: Lane, known?: Checkpoint): Promise<Checkpoint> {
    let checkpoint = known ?? (await readCheckpoint(table, lane.shardId))
    if (shapes === undefined) return checkpoint
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
        lane.register = kept.revision
        return checkpoint
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

  const batchOf = (lane: Lane, changes: readonly Change[]): Batch => ({
    lane,
    changes: inOrder(changes)
      .filter(({ sequenceNumber }) => isBeyond(sequenceNumber, lane.sequenceNumber))
      .map((change) => describeChange(change, sums))
      .filter((described) => isEffective(described, copies)),
  })

  async function countNext(given: readonly Batch[]): Promise<Counted> {
    const failures = new Map<Lane, unknown>()
    // Of two revisions, the changes of lanes are described by other projections.
    const isCurrent = ({ lane }: Batch): boolean => lane.register === revision
    for (const batch of given) if (!isCurrent(batch)) failures.set(batch.lane, new Outdated(batch.lane.shardId))
    const batches = given.filter(isCurrent)
    const { chunks, writes } = chunksOf(batches)
    // Something in the way of one lane, or of all, may refuse them together.
    const areApplied =
      chunks.length > 1 &&
      (await applyTogether(chunks).then(
        () => true,
        () => false,
      ))
    if (!areApplied) {
      for (const chunk of chunks) {
        await applyChunk(chunk).catch((error: unknown) => failures.set(chunk.lane, error))
      }
    }
    for (const batch of batches) batch.changes = uncounted(batch.lane, batch.changes)
    return { failures, lanes: chunks.length, writes }
  }

  async function applyTogether(chunks: readonly Batch[]): Promise<void> {
    for (const copy of copies) {
      for (const { changes, lane } of chunks) {
        const concerned = changes.map(({ change }) => change).filter(({ key }) => copy.isItem(key))
        if (concerned.length > 0) await copy.apply?.(concerned, { shardId: lane.shardId })
      }
    }
    await commitChunks(chunks)
  }

  /** Applies a chunk, or its beginning when something in it is refused. */
  async function applyChunk({ lane, changes }: Batch): Promise<void> {
    try {
      await applyTogether([{ lane, changes }])
    } catch (error) {
      if (!isRefusal(error)) throw error
      const [only] = changes
      if (changes.length > 1) await applyChunk({ lane, changes: changes.slice(0, Math.ceil(changes.length / 2)) })
      else if (only !== undefined) await applyRefused(lane, only, messageOf(error))
    }
  }

  /** Takes of a change what can be taken, and leaves a dead letter for the rest. */
  async function applyRefused(lane: Lane, { change }: DescribedChange, reason: string): Promise<void> {
    const refusedBy = await refusing(copies, change, lane)
    for (const [tries, images] of LESS_AND_LESS.entries()) {
      const described = describeChange(change, sums, images)
      const reasons = [tries > 0 || refusedBy.length > 0 ? reason : undefined, described.problem]
      const problem = reasons.filter((each) => each !== undefined).join('; ') || undefined
      try {
        await commitChunks([{ lane, changes: [{ ...described, problem, refusedBy }] }])
        return
      } catch (error) {
        if (!isRefusal(error) || images.length === 0) throw error
      }
    }
  }

  /** Leaves out what was counted since the chunks were cut: a try before may have found a checkpoint elsewhere. */
  async function commitChunks(cut: readonly Batch[]): Promise<void> {
    const chunks = cut
      .map(({ lane, changes }) => ({ lane, changes: uncounted(lane, changes) }))
      .filter(({ changes }) => changes.length > 0)
    const moves = chunks.map(({ lane, changes }) => ({ lane, to: lastOf(changes) }))
    if (moves.length === 0) return
    const changes = chunks.flatMap((chunk) => chunk.changes)
    const letters = chunks.flatMap(({ lane, changes }) =>
      changes.flatMap((described) => lettersOf(lane, described, follower)),
    )
    const outcome = await commit(
      table,
      checkpointsGuard(table, moves, letters),
      netAdditions(changes.flatMap(({ additions }) => additions)),
    )
    // Spent, and each checkpoint is where it was to go: the commit was made, and only its answer was lost.
    const isMade = outcome === 'written' || moves.every(({ lane, to }) => lane.sequenceNumber === to)
    if (!isMade) return
    for (const { lane, to } of moves) lane.sequenceNumber = to
    for (const letter of letters) onDeadLetter?.(letter)
  }

  return {
    table,
    async caughtUp() {
      if (isCounted) return
      await shapes?.caughtUp()
      isCounted = true
    },
    takeUp,
    batchOf,
    countNext,
    async apply(lane, changes) {
      for (;;) {
        const batch = batchOf(lane, changes)
        let failure: unknown
        while (failure === undefined && batch.changes.length > 0) {
          failure = (await countNext([batch])).failures.get(lane)
        }
        if (failure === undefined) return
        if (!isOutdated(failure)) throw failure
        await takeUp(lane)
      }
    },
    async advance(lane, to) {
      if (lane.register !== revision) return
      if ((await commit(table, checkpointsGuard(table, [{ lane, to }], []), [])) === 'written') lane.sequenceNumber = to
    },
  }
}

function uncounted({ sequenceNumber }: Lane, changes: readonly DescribedChange[]): readonly DescribedChange[] {
  return changes.filter(({ change }) => isBeyond(change.sequenceNumber, sequenceNumber))
}

function lastOf(changes: readonly DescribedChange[]): string {
  return (changes.at(-1) as DescribedChange).change.sequenceNumber
}

interface Move {
  readonly lane: Lane
  readonly to: string
}

/**
 * Moves checkpoints and keeps dead letters, all or none; it is spent when a checkpoint is elsewhere than its lane thought. Each lane
 * learns where it is.
 */
function checkpointsGuard(table: FollowedTable, moves: readonly Move[], letters: readonly DeadLetter[]): Guard {
  return {
    name: moves.map(({ lane }) => lane.shardId).join(', '),
    writes: [
      ...moves.map(({ lane, to }) =>
        checkpointMove(table, lane.shardId, lane.owner, lane.sequenceNumber, to, lane.register),
      ),
      ...letters.map((letter) => deadLetterWrite(table, letter)),
    ],
    async isSpent() {
      const found = await Promise.all(moves.map(({ lane }) => readCheckpoint(table, lane.shardId)))
      const isMoved = await Promise.all(moves.map(({ lane, to }, i) => hasMoved(lane, to, found[i] as Checkpoint)))
      const lost = moves.find(({ lane }, i) => lane.owner !== undefined && found[i]?.owner !== lane.owner)
      if (lost !== undefined) {
        const { owner = 'no process' } = found[moves.indexOf(lost)] as Checkpoint
        throw new LapidaryError('unavailable', `the lease of ${lost.lane.shardId} went to ${owner}`)
      }
      const outdated = moves.find(
        ({ lane: { register } }, i) => register !== undefined && found[i]?.register !== register,
      )
      if (outdated !== undefined) throw new Outdated(outdated.lane.shardId)
      return isMoved.includes(true)
    },
  }
}

async function hasMoved(lane: Lane, to: string, checkpoint: Checkpoint): Promise<boolean> {
  if (checkpoint.sequenceNumber === lane.sequenceNumber) return false
  if (checkpoint.sequenceNumber !== to) await lane.onMoved?.(checkpoint)
  lane.sequenceNumber = checkpoint.sequenceNumber
  return true
}

function lettersOf(
  lane: Lane,
  { change, problem, refusedBy }: DescribedChange,
  follower: string | undefined,
): readonly DeadLetter[] {
  const { key, sequenceNumber, at } = change
  // Of one change each follower may leave a letter of its own.
  const shardId = follower === undefined ? lane.shardId : `${lane.shardId}@${follower}`
  return problem === undefined ? [] : [{ key, shardId, sequenceNumber, at, reason: problem, refusedBy }]
}

/** The projections of copies that will not take a change. */
async function refusing(
  copies: readonly CopyProjection[],
  change: Change,
  { shardId }: Lane,
): Promise<readonly string[]> {
  const names: string[] = []
  for (const copy of copies.filter(({ isItem }) => isItem(change.key))) {
    try {
      await copy.apply?.([change], { shardId })
    } catch (error) {
      if (!isRefusal(error)) throw error
      names.push(copy.name)
    }
  }
  return names
}
