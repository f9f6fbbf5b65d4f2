import { type Beside, NOTHING } from '../planner/beside.ts'
import type { ReadContext } from './context.ts'

/**
 * What the process has read of the table since the last page for all requests alike: which indexes are complete, once, and what is derived, at
 * most once in five seconds. The page that comes next tells it, so that pages together tell all that was read.
 */
export function registerBeside({ register }: Pick<ReadContext, 'register'>): readonly Beside[] {
  const { rcu, requests } = register.take()
  if (requests === 0) return []
  return [
    { kind: 'register', text: 'REGISTER', isBefore: true, estimated: NOTHING, actual: { rcu, requests, rounds: 1 } },
  ]
}
