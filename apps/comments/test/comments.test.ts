import { describeComments } from './suites/comments.ts'
import { LAYOUTS } from './test-app.ts'

describeComments(LAYOUTS)
