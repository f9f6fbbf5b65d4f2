import type { Session } from './session.ts'

/** What one of the doctor's checks found. */
export interface Finding {
  readonly check: string
  readonly ok: boolean
  readonly message: string
  /** What to do, when it is not well. */
  readonly remedy?: string
}

/** What checks are told beside the session. */
export interface CheckContext {
  readonly signal: AbortSignal
  /** Whether changes that wait, though nothing counts them, are well. */
  readonly allowBehind: boolean
}

/** One thing that the doctor looks at; it may find several things. */
export type Check = (session: Session, context: CheckContext) => Promise<readonly Finding[]>
