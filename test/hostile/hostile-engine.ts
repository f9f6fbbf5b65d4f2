import { chosenSeed, type FaultRates, type HostileProxy, startHostileProxy } from 'lapidary-testing'
import { afterAll } from 'vitest'
import type { TestEngine } from '../engines/index.ts'

/** The seed of the faults; a failure names it: `HOSTILE_SEED=7 npx vitest run test/hostile`. Each run of the whole takes the same, a long one draws its own. */
export const SEED: number = chosenSeed(
  process.env.HOSTILE_SEED ?? (process.env.HOSTILE_TIMES === undefined ? '21' : undefined),
)
/** How many times as much is drawn; `npm run test:long -- test/hostile` draws more. */
export const TIMES: number = Number(process.env.HOSTILE_TIMES ?? 1)

/** Faults that a program gets through by trying again. */
const RATES: Partial<FaultRates> = {
  ...{ delayed: 0.2, throttled: 0.03, conflicted: 0.05, unprocessed: 0.3, short: 0.3, underWay: 0.03 },
  ...{ failed: 0.01, cut: 0.01, dropped: 0.01, late: 0.005, silent: 0.002 },
}
const SILENCE_MS = 400

/** An engine behind a proxy. */
export interface HostileEngine extends TestEngine {
  readonly proxy: HostileProxy
}

/** Starts a proxy before an engine, for the tests of a file. */
export async function hostile(engine: TestEngine, more: Partial<FaultRates> = {}): Promise<HostileEngine> {
  const { name, endpoint } = engine
  const rates = { ...RATES, ...more }
  const proxy = await startHostileProxy({ target: endpoint, seed: SEED, rates, silenceMs: SILENCE_MS })
  console.info(`a hostile proxy before ${name}: HOSTILE_SEED=${SEED}`)
  afterAll(async () => {
    const injected = Object.entries(proxy.injected).filter(([, times]) => times > 0)
    console.info(`faults before ${name}: ${JSON.stringify(Object.fromEntries(injected))}`)
    await proxy.close()
  })
  return { name, endpoint: proxy.endpoint, breaks: true, proxy }
}
