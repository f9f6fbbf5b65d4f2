/** @module lapidary-testing */

export { seededRandom } from 'lapidary/internal'
export {
  type CaseCollection,
  type CollectionCase,
  collectionCase,
  collectionOf,
  type FacetCase,
  type IndexCases,
  type OrderCase,
} from './arbitraries/collections.ts'
export { changeOf, itemOf, itemsOf, queryOf, SCOPES, whereOf } from './arbitraries/items.ts'
export { awkwardId, awkwardText, unicodeText } from './arbitraries/texts.ts'
export { type AwsBehaviour, type AwsOccurrence, drawAwsBehaviour, PROMPT_STREAM } from './aws-stream/aws-behaviour.ts'
export { type AwsStream, type AwsStreamOptions, createAwsStream } from './aws-stream/aws-stream.ts'
export { columnBytes, placeBytes } from './column-bytes.ts'
export { describeListConformance } from './conformance/lists.ts'
export { chosenSeed, type ListConformanceOptions, type TestFunctions } from './conformance/options.ts'
export {
  type CancellationCode,
  canceledTransaction,
  connectionReset,
  DYNAMODB_ERROR_NAMES,
  type DynamoDBErrorName,
  dynamodbError,
  Killed,
} from './faults/fault-errors.ts'
export { createFaultKit, type FaultKit, type FaultKitOptions } from './faults/fault-kit.ts'
export { drawFaultRates, type FaultKind, type FaultRates, NO_FAULTS } from './faults/fault-plan.ts'
export { beforeQueries, intercepted, type Send } from './faults/intercept.ts'
export { type LateIndexes, type LateIndexesOptions, lateIndexes } from './faults/late-indexes.ts'
export { limitedPartitions, type PartitionLimits } from './faults/limited-partitions.ts'
export { type HostileProxy, type HostileProxyOptions, startHostileProxy } from './hostile/hostile-proxy.ts'
export { createOracle, type Oracle, type OraclePage, type OraclePoint } from './oracle.ts'
export { describeSortedListsConformance, type SortedListsConformanceOptions } from './page-index/conformance.ts'
export { memoryLists } from './page-index/memory-lists.ts'
