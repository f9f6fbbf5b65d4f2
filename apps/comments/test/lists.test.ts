import { describeLists } from './suites/lists.ts'
import { LAYOUTS } from './test-app.ts'

describeLists(LAYOUTS)
