import { describeStatistics } from './suites/statistics.ts'
import { LAYOUTS } from './test-app.ts'

describeStatistics(LAYOUTS)
