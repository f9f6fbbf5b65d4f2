import { indexes, type Layout, nativeKeys, powerSet } from 'lapidary'
import { describeListConformance } from 'lapidary-testing'
import { describe, it } from 'vitest'
import { isFeasible } from '../../packages/lapidary/test/conformance/feasible.ts'
import { manyEntries } from '../../packages/lapidary/test/conformance/many-entries.ts'
import { createSdkClient, type TestEngine, testEngines } from '../engines/index.ts'
import { hostile, SEED, TIMES } from './hostile-engine.ts'

const [embedded, local] = testEngines() as [TestEngine, TestEngine]
const LAYOUTS: readonly (readonly [TestEngine, Layout])[] = [
  [embedded, indexes()],
  [embedded, powerSet()],
  [embedded, manyEntries()],
  [local, nativeKeys()],
  [local, indexes()],
]

for (const [engine, layout] of LAYOUTS) {
  const troubled = await hostile(engine)
  describeListConformance({
    ...{ name: `${engine.name} in a hostile environment, by ${layout.name}`, layout, describe, it },
    client: () => createSdkClient(troubled),
    accepts: (made) => isFeasible(layout, made),
    runs: TIMES,
    seed: SEED,
    shrinks: false,
    timeout: 300_000 * TIMES,
  })
}
