import type { Trouble } from './troubled-applications.ts'

/** Faults that the application gets through, or says that it does not, by 503. */
export const TROUBLE: Trouble = {
  ...{ throttled: 0.12, conflicted: 0.05, unprocessed: 0.3, short: 0.2, underWay: 0.02, delayed: 0.2 },
  ...{ failed: 0.02, cut: 0.01, dropped: 0.02, late: 0.01, silent: 0.001 },
}
