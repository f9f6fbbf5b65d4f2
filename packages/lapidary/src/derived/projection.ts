import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import type { Entry } from '../model/entry.ts'
import type { Change } from './change.ts'

/** The key of an item of derived data. */
export interface TargetKey {
  readonly PK: string
  readonly SK: string
}

/** What one change adds to the counters of one target. */
export interface Contribution {
  readonly target: TargetKey
  readonly counts: Readonly<Record<string, number>>
}

/** All contributions of a batch to one target, netted: nothing in it is zero. */
export interface NetContribution extends Contribution {
  /** The time of the last change, in milliseconds since 1970. */
  readonly at: number
}

/**
 * Derived data that is counted. The runner nets a batch by target and commits all of its writes and the shard's checkpoint
 * in one transaction, so that counts are exact under at-least-once delivery.
 */
export interface CountingProjection {
  readonly kind: 'counting'
  readonly name: string
  /**
   * What a change adds, target by target; nothing for items that are none of its business. Throws on an item that it can't
   * read. It is linear: what the former image takes away and what the new one adds do not depend on each other.
   */
  contributions(change: Change): readonly Contribution[]
  /** The most items that {@link writes} writes for one target. */
  readonly writesPerTarget: number
  /**
   * The writes that bring a target from what was read to what it has to be. The write of the target itself is conditioned
   * on what was read, see {@link guardedWrite}.
   */
  writes(net: NetContribution, before: Entry | undefined): readonly TransactWriteItem[]
}

/**
 * Derived data whose writes are idempotent sets (copies, caches, files). It is applied before the checkpoint moves and may
 * see a batch again, so the last image of an item has to win.
 */
export interface SettingProjection {
  readonly kind: 'setting'
  readonly name: string
  /** Whether a change is of an item that this projection copies. */
  concerns(change: Change): boolean
  /**
   * @throws {LapidaryError} `unprocessable` for changes that it will never take; any other error is taken to pass, and the
   * batch is tried again.
   */
  apply(changes: readonly Change[]): Promise<void>
}

export type Projection = CountingProjection | SettingProjection

/** Nets contributions by target; targets whose counts cancel out are left out. */
export function netContributions(
  contributions: Iterable<{ readonly contribution: Contribution; readonly at: number }>,
): readonly NetContribution[] {
  const targets = new Map<string, { target: TargetKey; counts: Record<string, number>; at: number }>()
  for (const { contribution, at } of contributions) {
    const id = targetId(contribution.target)
    const net = targets.get(id) ?? { target: contribution.target, counts: {}, at }
    targets.set(id, net)
    net.at = Math.max(net.at, at)
    for (const [name, delta] of Object.entries(contribution.counts)) {
      net.counts[name] = (net.counts[name] ?? 0) + delta
    }
  }
  return [...targets.values()]
    .map(({ target, counts, at }) => ({ target, counts: withoutZeros(counts), at }))
    .filter(({ counts }) => Object.keys(counts).length > 0)
}

/** One text for a key; no key holds a NUL. */
export function targetId({ PK, SK }: TargetKey): string {
  return `${PK}\u0000${SK}`
}

function withoutZeros(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, delta]) => delta !== 0))
}
