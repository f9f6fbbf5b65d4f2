import { describeConditionalWrites } from '../../packages/lapidary/test/suites/conditional-writes.ts'
import { describeWritePath } from '../../packages/lapidary/test/suites/write-path.ts'
import { testEngines } from '../engines/index.ts'
import { hostile } from './hostile-engine.ts'

const engines = await Promise.all(testEngines().map((engine) => hostile(engine)))
describeWritePath(engines)
describeConditionalWrites(engines)
