import type { Charged } from '../../../bench/src/adviser/observe-writes.ts'
import { createTestClient, type TestEngine } from '../../../test/engines/index.ts'

/** A client of an engine, and how it charges. */
export function charged(engine: TestEngine): Charged {
  return { client: createTestClient(engine), isEmbedded: engine.name === 'embedded' }
}
