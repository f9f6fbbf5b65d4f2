import { type Change, isBeyond } from '../derived/change.ts'
import type { CopyProjection } from '../derived/copy-projection.ts'
import { netAdditions, type SumProjection } from '../derived/sum-projection.ts'
import { LapidaryError } from '../model/errors.ts'
import { type Batch, chunksOf, type Lane } from './batch.ts'
import { type Checkpoint, checkpointMove, type FollowedTable, readCheckpoint } from './checkpoint.ts'
import { commit, type Guard, isRefusal } from './commit.ts'
import { type DeadLetter, deadLetterWrite } from './dead-letters.ts'
import { type DescribedChange, describeChange, LESS_AND_LESS, messageOf } from './described-change.ts'

/** What is kept of the changes of a table. */
export interface Keeping {
  readonly table: FollowedTable
  readonly sums: readonly SumProjection[]
  readonly copies: readonly CopyProjection[]
  readonly onDeadLetter: ((letter: DeadLetter) => void) | undefined
}

/** What is known of a lane: each try may find its checkpoint elsewhere. */
interface Progress {
  /** Where its checkpoint is: moved there with what was counted, or found there. */
  sequenceNumber: string | undefined
  /** The checkpoint, where another has moved it: nothing is counted beyond it yet. */
  found: Checkpoint | undefined
  /** Why its changes could not be counted; it goes on from its checkpoint. */
  failure: unknown
}

/** What became of a batch. */
export interface Counted extends Readonly<Progress> {
  /** Changes beyond the checkpoint, which are left to count. */
  readonly left: readonly DescribedChange[]
}

/** What became of a transaction. */
export interface Transaction {
  readonly counted: ReadonlyMap<Lane, Counted>
  /** Lanes that had changes in it. */
  readonly lanes: number
  /** Items of it, checkpoints and all. */
  readonly writes: number
}

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

interface Move {
  readonly lane: Lane
  readonly to: string
}

/** Counts as much of some batches as goes into one transaction, once. */
export class Counting {
  readonly #keeping: Keeping
  readonly #batches: readonly Batch[]
  readonly #progress: ReadonlyMap<Lane, Progress>

  /** @param isCurrent Whether the changes of a lane are described by what is kept. */
  constructor(keeping: Keeping, batches: readonly Batch[], isCurrent: (lane: Lane) => boolean) {
    this.#keeping = keeping
    this.#batches = batches
    this.#progress = new Map(
      batches.map(({ lane }) => {
        const failure = isCurrent(lane) ? undefined : new Outdated(lane.shardId)
        return [lane, { sequenceNumber: lane.sequenceNumber, found: undefined, failure }]
      }),
    )
  }

  async count(): Promise<Transaction> {
    const { chunks, writes } = chunksOf(this.#batches.filter(({ lane }) => this.#of(lane).failure === undefined))
    // Something in the way of one lane, or of all, may refuse them together.
    const areApplied =
      chunks.length > 1 &&
      (await this.#apply(chunks).then(
        () => true,
        () => false,
      ))
    for (const chunk of areApplied ? [] : chunks) {
      await this.#applyOne(chunk).catch((error: unknown) => {
        this.#of(chunk.lane).failure = error
      })
    }
    const counted = new Map(
      this.#batches.map((batch) => [batch.lane, { ...this.#of(batch.lane), left: this.#uncounted(batch) }]),
    )
    return { counted, lanes: chunks.length, writes }
  }

  /** Moves the checkpoint of the only lane, and tells where it is. */
  async advance(to: string): Promise<string | undefined> {
    const [{ lane }] = this.#batches as [Batch]
    if ((await commit(this.#keeping.table, this.#guard([{ lane, to }], []), [])) === 'written') return to
    return this.#of(lane).sequenceNumber
  }

  #of(lane: Lane): Progress {
    return this.#progress.get(lane) as Progress
  }

  #uncounted({ lane, changes }: Batch): readonly DescribedChange[] {
    const { sequenceNumber } = this.#of(lane)
    return changes.filter(({ change }) => isBeyond(change.sequenceNumber, sequenceNumber))
  }

  async #apply(chunks: readonly Batch[]): Promise<void> {
    for (const copy of this.#keeping.copies) {
      for (const { changes, lane } of chunks) {
        const concerned = changes.map(({ change }) => change).filter(({ key }) => copy.isItem(key))
        if (concerned.length > 0) await copy.apply?.(concerned, { shardId: lane.shardId })
      }
    }
    await this.#commit(chunks)
  }

  /** Applies a chunk, or its beginning when something in it is refused. */
  async #applyOne({ lane, changes }: Batch): Promise<void> {
    try {
      await this.#apply([{ lane, changes }])
    } catch (error) {
      if (!isRefusal(error)) throw error
      const [only] = changes
      if (changes.length > 1) await this.#applyOne({ lane, changes: changes.slice(0, Math.ceil(changes.length / 2)) })
      else if (only !== undefined) await this.#applyRefused(lane, only, messageOf(error))
    }
  }

  /** Takes of a change what can be taken, and leaves a dead letter for the rest. */
  async #applyRefused(lane: Lane, { change }: DescribedChange, reason: string): Promise<void> {
    const { copies, sums } = this.#keeping
    const refusedBy = await refusing(copies, change, lane)
    for (const [tries, images] of LESS_AND_LESS.entries()) {
      const described = describeChange(change, sums, images)
      const reasons = [tries > 0 || refusedBy.length > 0 ? reason : undefined, described.problem]
      const problem = reasons.filter((each) => each !== undefined).join('; ') || undefined
      try {
        await this.#commit([{ lane, changes: [{ ...described, problem, refusedBy }] }])
        return
      } catch (error) {
        if (!isRefusal(error) || images.length === 0) throw error
      }
    }
  }

  /** Leaves out what was counted since the chunks were cut, and lanes of which a try before has found that another counts them. */
  async #commit(cut: readonly Batch[]): Promise<void> {
    const { table, onDeadLetter } = this.#keeping
    const chunks = cut
      .filter(({ lane }) => this.#of(lane).found === undefined)
      .map((chunk) => ({ lane: chunk.lane, changes: this.#uncounted(chunk) }))
      .filter(({ changes }) => changes.length > 0)
    const moves = chunks.map(({ lane, changes }) => ({ lane, to: lastOf(changes) }))
    if (moves.length === 0) return
    const changes = chunks.flatMap((chunk) => chunk.changes)
    const letters = chunks.flatMap(({ lane, changes }) =>
      changes.flatMap((described) => lettersOf(lane, described, table.follower)),
    )
    const additions = netAdditions(changes.flatMap(({ additions }) => additions))
    const outcome = await commit(table, this.#guard(moves, letters), additions)
    // Spent, and each checkpoint is where it was to go: the commit was made, and only its answer was lost.
    const isMade = outcome === 'written' || moves.every(({ lane, to }) => this.#of(lane).sequenceNumber === to)
    if (!isMade) return
    for (const { lane, to } of moves) this.#of(lane).sequenceNumber = to
    for (const letter of letters) onDeadLetter?.(letter)
  }

  /** Moves checkpoints and keeps dead letters, all or none; it is spent when a checkpoint is elsewhere than its lane was. */
  #guard(moves: readonly Move[], letters: readonly DeadLetter[]): Guard {
    const { table } = this.#keeping
    return {
      name: moves.map(({ lane }) => lane.shardId).join(', '),
      writes: [
        ...moves.map(({ lane, to }) =>
          checkpointMove(table, lane.shardId, lane.owner, this.#of(lane).sequenceNumber, to, lane.register),
        ),
        ...letters.map((letter) => deadLetterWrite(table, letter)),
      ],
      isSpent: async () => {
        const found = await Promise.all(moves.map(({ lane }) => readCheckpoint(table, lane.shardId)))
        const isMoved = moves.map((move, i) => this.#hasMoved(move, found[i] as Checkpoint))
        for (const [i, { lane }] of moves.entries()) requireOurs(lane, found[i] as Checkpoint)
        return isMoved.includes(true)
      },
    }
  }

  #hasMoved({ lane, to }: Move, checkpoint: Checkpoint): boolean {
    const progress = this.#of(lane)
    if (checkpoint.sequenceNumber === progress.sequenceNumber) return false
    if (checkpoint.sequenceNumber !== to) progress.found = checkpoint
    progress.sequenceNumber = checkpoint.sequenceNumber
    return true
  }
}

/** @throws {LapidaryError} `unavailable` where another process has the lane, or it is counted by another revision of the register. */
function requireOurs({ shardId, owner, register }: Lane, checkpoint: Checkpoint): void {
  if (owner !== undefined && checkpoint.owner !== owner) {
    throw new LapidaryError('unavailable', `the lease of ${shardId} went to ${checkpoint.owner ?? 'no process'}`)
  }
  if (register !== undefined && checkpoint.register !== register) throw new Outdated(shardId)
}

function lastOf(changes: readonly DescribedChange[]): string {
  return (changes.at(-1) as DescribedChange).change.sequenceNumber
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
  for (const copy of copies.filter((copy) => copy.isItem(change.key))) {
    try {
      await copy.apply?.([change], { shardId })
    } catch (error) {
      if (!isRefusal(error)) throw error
      names.push(copy.name)
    }
  }
  return names
}
