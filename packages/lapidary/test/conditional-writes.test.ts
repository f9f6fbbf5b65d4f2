import { testEngines } from '../../../test/engines/index.ts'
import { describeConditionalWrites } from './suites/conditional-writes.ts'

describeConditionalWrites(testEngines())
