import { describeComments } from '../../apps/comments/test/suites/comments.ts'
import { describeLists } from '../../apps/comments/test/suites/lists.ts'
import { describeStatistics } from '../../apps/comments/test/suites/statistics.ts'
import { testEngines } from '../engines/index.ts'
import { hostile } from './hostile-engine.ts'

for (const engine of testEngines()) {
  const troubled = await hostile(engine)
  const layouts = engine.name === 'embedded' ? (['indexes', 'power-set'] as const) : (['native-keys'] as const)
  describeComments(layouts, troubled)
  describeLists(layouts, troubled)
  describeStatistics(layouts, troubled)
}
