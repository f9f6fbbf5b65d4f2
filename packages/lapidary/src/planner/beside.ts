import type { Actual } from './actual.ts'
import type { Plan, PlanEstimate } from './plan.ts'
import { pricedText } from './plan-text.ts'

/** Something that a request reads beside its lists, with what it should cost and what it cost. */
export interface Beside {
  readonly kind: 'counts' | 'pageIndex' | 'slice' | 'written'
  /** `COUNTS OF 42`, `PAGE INDEX OFFSET 2380`. */
  readonly text: string
  /** Whether it is read before the lists, with them, or after them. */
  readonly when: 'before' | 'along' | 'after'
  readonly estimated: PlanEstimate
  /** Undefined before it was read. */
  readonly actual?: PlanEstimate | undefined
}

export const NOTHING: PlanEstimate = Object.freeze({ rcu: 0, requests: 0, rounds: 0 })

/** Everything that a request should read: its lists, and what is read beside them. */
export function wholeEstimate(lists: PlanEstimate, besides: readonly Beside[]): PlanEstimate {
  return whole(
    lists,
    besides.map(({ when, estimated }) => ({ when, cost: estimated })),
  )
}

/** Everything that a request read. */
export function wholeActual(lists: Actual, besides: readonly Beside[]): Actual {
  const each = besides.map(({ when, actual = NOTHING }) => ({ when, cost: actual }))
  return { ...lists, ...whole(lists, each) }
}

/** Adds up capacity and requests; rounds too, but of what is read along with the lists. */
function whole(
  lists: PlanEstimate,
  besides: readonly (Pick<Beside, 'when'> & { readonly cost: PlanEstimate })[],
): PlanEstimate {
  let { rcu, requests, rounds } = lists
  let apart = 0
  for (const { when, cost } of besides) {
    rcu += cost.rcu
    requests += cost.requests
    if (when === 'along') rounds = Math.max(rounds, cost.rounds)
    else apart += cost.rounds
  }
  return { rcu, requests, rounds: apart + rounds }
}

/**
 * The line of a plan, which ends with what everything should cost. It names what the lists wait for; counts come with every page, or are at hand,
 * and would make two lines of one.
 */
export function wholeText({ text, estimated }: Pick<Plan, 'text' | 'estimated'>, besides: readonly Beside[]): string {
  if (besides.length === 0) return text
  const first = besides.filter(({ when }) => when === 'before').map((beside) => `${beside.text}, THEN `)
  return pricedText(`${first.join('')}${text.slice(0, text.lastIndexOf(' -- '))}`, wholeEstimate(estimated, besides))
}
