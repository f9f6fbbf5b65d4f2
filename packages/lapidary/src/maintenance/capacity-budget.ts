import { setTimeout as sleep } from 'node:timers/promises'

/** Capacity units a second that maintenance may take; shared by everything that it does at once. */
export interface CapacityBudget {
  /** Waits until there is something left. */
  ready(signal: AbortSignal | undefined): Promise<void>
  /** Takes what a request took. */
  spend(units: number | undefined): void
  /** Units taken so far. */
  readonly spent: number
  /** Units a second; Infinity when nothing limits it. */
  readonly perSecond: number
}

/** A bucket of one second: what a request took beyond it is waited off before the next. */
export function createCapacityBudget(perSecond: number, now: () => number): CapacityBudget {
  let spent = 0
  let left = perSecond
  let filledAt = now()
  const fill = (): void => {
    const at = now()
    left = Math.min(perSecond, left + ((at - filledAt) / 1000) * perSecond)
    filledAt = at
  }
  return {
    perSecond,
    get spent() {
      return spent
    },
    async ready(signal) {
      if (perSecond === Number.POSITIVE_INFINITY) return
      for (fill(); left <= 0; fill()) {
        await sleep(Math.max(5, (-left / perSecond) * 1000), undefined, signal === undefined ? {} : { signal })
      }
    },
    spend(units = 0) {
      spent += units
      if (perSecond !== Number.POSITIVE_INFINITY) left -= units
    },
  }
}
