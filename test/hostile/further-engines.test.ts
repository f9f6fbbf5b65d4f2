import { indexes } from 'lapidary'
import { describeListConformance } from 'lapidary-testing'
import { afterAll, describe, it } from 'vitest'
import { createSdkClient } from '../engines/index.ts'
import { startMinistack } from '../engines/ministack.ts'
import { startMoto } from '../engines/moto.ts'
import { hostile, SEED, TIMES } from './hostile-engine.ts'

// Engines that others have written: what they read otherwise shows in few cases.
const STARTS = { moto: startMoto, ministack: startMinistack } as const
for (const name of ['moto', 'ministack'] as const) {
  const server = await STARTS[name]()
  afterAll(() => server.kill())
  const troubled = await hostile({ name, endpoint: server.url })
  describeListConformance({
    ...{ name: `${name} in a hostile environment`, layout: indexes(), describe, it },
    client: () => createSdkClient(troubled),
    runs: TIMES,
    seed: SEED,
    shrinks: false,
    timeout: 300_000 * TIMES,
  })
}
