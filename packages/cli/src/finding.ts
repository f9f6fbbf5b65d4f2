import type { Session } from './session.ts'

/** The finding of one of the doctor's checks. */
export interface Finding {
  readonly check: string
  readonly ok: boolean
  readonly message: string
  /** The remedy, where the finding is not good. */
  readonly remedy?: string
}

/** The context of checks beside the session. */
export interface CheckContext {
  readonly signal: AbortSignal
  /** Whether changes may wait although nothing counts them. */
  readonly allowBehind: boolean
}

/** One check of the doctor; it may have several findings. */
export type Check = (session: Session, context: CheckContext) => Promise<readonly Finding[]>
