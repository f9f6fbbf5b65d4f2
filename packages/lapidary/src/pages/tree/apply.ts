import { isBeyond } from '../../derived/change.ts'
import { LapidaryError } from '../../model/errors.ts'
import { Again, retrying, type Waiting } from '../../table/retrying.ts'
import type { ListChange } from '../sorted-lists.ts'
import type { CommitResult, Mark, MarkMove } from './node-store.ts'
import type { TreeStep } from './steps.ts'
import { Torn } from './torn.ts'

const MOST_CONFLICTS = 40

/** Where changes go: the mark of each shard moves with what its changes write. */
export interface ChangesTarget<Edit> {
  readonly mostSteps: number
  mark(shardId: string): Promise<Mark>
  /** Says what steps write. */
  edit(mark: Mark, steps: readonly TreeStep[]): Promise<Edit>
  commit(edit: Edit, move: MarkMove): Promise<CommitResult>
}

/** Who waits between tries, and what messages call the page index. */
export interface TryingAgain {
  readonly waiting: Waiting
  readonly namespace: string
  /** As `lapidary rebuild` calls it; `page-index` when not given. */
  readonly rebuiltAs?: 'columns'
}

/** Takes in changes of a shard, some in each commit, together with how far the shard is. */
export async function applyChanges<Edit>(
  target: ChangesTarget<Edit>,
  trying: TryingAgain,
  shardId: string,
  changes: readonly ListChange[],
): Promise<void> {
  const effective = changes.filter(({ steps }) => steps.length > 0)
  for (const part of inParts(effective, ({ steps }) => steps.length, target.mostSteps)) {
    await applyPart(target, trying, shardId, part)
  }
}

/**
 * Notes that a shard is taken in up to a place, without its changes: whatever a process still has in hand of them is refused from when this
 * returns.
 */
export function passChanges<Edit>(
  target: ChangesTarget<Edit>,
  trying: TryingAgain,
  shardId: string,
  to: string,
): Promise<void> {
  return untilMade(trying, async () => {
    const from = await target.mark(shardId)
    if (!isBeyond(to, from.sequenceNumber)) return 'made'
    return target.commit(await target.edit(from, []), { shardId, from, to, at: undefined })
  })
}

function applyPart<Edit>(
  target: ChangesTarget<Edit>,
  trying: TryingAgain,
  shardId: string,
  changes: readonly ListChange[],
): Promise<void> {
  return untilMade(trying, async () => {
    const mark = await target.mark(shardId)
    const { sequenceNumber: done, state } = mark
    const left = changes.filter(({ sequenceNumber }) => isBeyond(sequenceNumber, done))
    const last = left.at(-1)
    if (last === undefined || state === 'absent') return 'made'
    const steps = left.flatMap((change) =>
      change.steps.map(({ op, ...entry }): TreeStep => {
        return { op: op === 'remove' && state === 'filling' ? 'bury' : op, ...entry }
      }),
    )
    const move = { shardId, from: mark, to: last.sequenceNumber, at: last.at }
    const made = await target.commit(await target.edit(mark, steps), move)
    if (made !== 'too large') return made
    if (left.length === 1) throw tooLarge(trying, last)
    const half = Math.ceil(left.length / 2)
    await applyPart(target, trying, shardId, left.slice(0, half))
    await applyPart(target, trying, shardId, left.slice(half))
    return 'made'
  })
}

function tooLarge(trying: TryingAgain, { sequenceNumber, steps }: ListChange): LapidaryError {
  const { namespace } = trying
  const message = `the change ${sequenceNumber} has ${steps.length} entries in ${calledOf(trying)} ${namespace}, more than one transaction takes; it is not in`
  return new LapidaryError('unprocessable', message)
}

/** Tries until it is made or too large. */
export async function untilMade(trying: TryingAgain, attempt: () => Promise<CommitResult>): Promise<void> {
  const { waiting, namespace } = trying
  const gaveUp = (_: number, cause: unknown): never => {
    if (cause instanceof Torn) throw damaged(trying, cause)
    const message = `other writes kept conflicting with ${calledOf(trying)} of ${namespace}; it is tried again`
    throw new LapidaryError('unavailable', message, { cause })
  }
  await retrying(waiting, { most: MOST_CONFLICTS, steadyFrom: 4, gaveUp }, async () => {
    try {
      return await attempt()
    } catch (error) {
      if (error instanceof Torn) return new Again(error)
      throw error
    }
  })
}

/** Says that nodes do not fit each other, however often they are read. */
export function damaged(trying: Omit<TryingAgain, 'waiting'>, cause: Torn): LapidaryError {
  const { namespace, rebuiltAs = 'page-index' } = trying
  const what = `${calledOf(trying)} ${namespace} ${rebuiltAs === 'columns' ? 'are' : 'is'} damaged`
  return new LapidaryError('page_index_damaged', `${what}: ${cause.message}; run lapidary rebuild ${rebuiltAs}`, {
    cause,
  })
}

function calledOf({ rebuiltAs }: Pick<TryingAgain, 'rebuiltAs'>): string {
  return rebuiltAs === undefined ? 'the page index' : `the ${rebuiltAs}`
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

function inParts<T>(all: readonly T[], stepsOf: (each: T) => number, most: number): readonly (readonly T[])[] {
  const parts: T[][] = []
  let steps = most
  for (const each of all) {
    steps += stepsOf(each)
    if (steps > most) {
      parts.push([])
      steps = stepsOf(each)
    }
    parts.at(-1)?.push(each)
  }
  return parts
}
