import type { FaultKind } from './fault-plan.ts'
import type { KnownTables } from './table-keys.ts'

/** The state that the clients of a kit share. */
export interface FaultState {
  readonly random: () => number
  readonly tables: KnownTables
  /** Tells whether this fault happens now. */
  strikes(kind: FaultKind): boolean
  /** Throws when the process is dead. */
  requireAlive(): void
  /** Passes a point where a write is about to be made, or was made. */
  passWritePoint(): void
  delay(): Promise<void>
  /** Waits as long as a silence lasts. */
  silence(): Promise<void>
  /** Carries out a write some time after its sender has given up. */
  carryOutLate(write: () => Promise<unknown>): void
}
