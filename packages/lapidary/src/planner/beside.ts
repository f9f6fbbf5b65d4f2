import type { Actual } from './actual.ts'
import type { Plan, PlanEstimate } from './plan.ts'
import { pricedText } from './plan-text.ts'

/** Something that a request reads beside its lists, with what it should cost and what it cost. */
export interface Beside {
  readonly kind: 'counts' | 'pageIndex' | 'slice'
  /** `COUNTS OF 42`, `PAGE INDEX OFFSET 2380`. */
  readonly text: string
  /** Whether the lists wait for it. */
  readonly isBefore: boolean
  readonly estimated: PlanEstimate
  /** Undefined before it was read. */
  readonly actual?: PlanEstimate | undefined
}

export const NOTHING: PlanEstimate = Object.freeze({ rcu: 0, requests: 0, rounds: 0 })

/** Everything that a request should read: its lists, and what is read beside them. */
export function wholeEstimate(lists: PlanEstimate, besides: readonly Beside[]): PlanEstimate {
  return whole(
    lists,
    besides.map(({ isBefore, estimated }) => ({ isBefore, cost: estimated })),
  )
}

/** Everything that a request read. */
export function wholeActual(lists: Actual, besides: readonly Beside[]): Actual {
  const each = besides.map(({ isBefore, actual = NOTHING }) => ({ isBefore, cost: actual }))
  return { ...lists, ...whole(lists, each) }
}

/** Reads before the lists add their rounds; all others go on while the lists are read. */
function whole(
  lists: PlanEstimate,
  besides: readonly { readonly isBefore: boolean; readonly cost: PlanEstimate }[],
): PlanEstimate {
  let { rcu, requests, rounds } = lists
  let before = 0
  for (const { isBefore, cost } of besides) {
    rcu += cost.rcu
    requests += cost.requests
    if (isBefore) before += cost.rounds
    else rounds = Math.max(rounds, cost.rounds)
  }
  return { rcu, requests, rounds: before + rounds }
}

/** The line of a plan with what is read beside its lists, which ends with what all of it should cost. */
export function wholeText({ text, estimated }: Pick<Plan, 'text' | 'estimated'>, besides: readonly Beside[]): string {
  const read = besides.filter(({ estimated: { rcu, requests, rounds } }) => rcu + requests + rounds > 0)
  if (read.length === 0) return text
  const first = read.filter(({ isBefore }) => isBefore).map((beside) => `${beside.text}, THEN `)
  const along = read.filter(({ isBefore }) => !isBefore).map((beside) => beside.text)
  const lists = text.slice(0, text.lastIndexOf(' -- '))
  const steps = [...first, lists, ...(along.length === 0 ? [] : [` WITH ${along.join(' AND ')}`])].join('')
  return pricedText(steps, wholeEstimate(estimated, besides))
}
