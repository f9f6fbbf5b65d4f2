import { RemovalPolicy } from 'aws-cdk-lib'
import { AttributeType, Billing, ProjectionType, StreamViewType, TableV2 } from 'aws-cdk-lib/aws-dynamodb'
import type { Construct } from 'constructs'

export function addTable(scope: Construct): TableV2 {
  return new TableV2(scope, 'Table', {
    tableName: 'comments',
    partitionKey: { name: 'PK', type: AttributeType.STRING },
    sortKey: { name: 'SK', type: AttributeType.STRING },
    billing: Billing.onDemand(),
    dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
    timeToLiveAttribute: 'ttl',
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: true,
    removalPolicy: RemovalPolicy.RETAIN,
    globalSecondaryIndexes: [
      {
        indexName: 'all',
        partitionKey: { name: 'k', type: AttributeType.STRING },
        sortKey: { name: 's', type: AttributeType.STRING },
        projectionType: ProjectionType.INCLUDE,
        nonKeyAttributes: ['i', 'p', 'l', 'r', 't', 'x', 'a', 'c', 'u', 'v', 'h', 'b', 'n', 'd'],
      },
      {
        indexName: 'byLanguage',
        partitionKey: { name: 'k.l', type: AttributeType.STRING },
        sortKey: { name: 's', type: AttributeType.STRING },
        projectionType: ProjectionType.INCLUDE,
        nonKeyAttributes: ['i', 'p', 'l', 'r', 't', 'x', 'a', 'c', 'u', 'v', 'h', 'b', 'n', 'd'],
      },
      {
        indexName: 'byRating',
        partitionKey: { name: 'k.r', type: AttributeType.STRING },
        sortKey: { name: 's', type: AttributeType.STRING },
        projectionType: ProjectionType.INCLUDE,
        nonKeyAttributes: ['i', 'p', 'l', 'r', 't', 'x', 'a', 'c', 'u', 'v', 'h', 'b', 'n', 'd'],
      },
      {
        indexName: 'byLanguageAndRating',
        partitionKey: { name: 'k.l.r', type: AttributeType.STRING },
        sortKey: { name: 's', type: AttributeType.STRING },
        projectionType: ProjectionType.INCLUDE,
        nonKeyAttributes: ['i', 'p', 'l', 'r', 't', 'x', 'a', 'c', 'u', 'v', 'h', 'b', 'n', 'd'],
      },
      {
        indexName: 'allByHelpful',
        partitionKey: { name: 'k', type: AttributeType.STRING },
        sortKey: { name: 's.~h', type: AttributeType.STRING },
        projectionType: ProjectionType.INCLUDE,
        nonKeyAttributes: ['i', 'p', 'l', 'r', 't', 'x', 'a', 'c', 'u', 'v', 'h', 'b', 'n', 'd'],
      },
      {
        indexName: 'byLanguageByHelpful',
        partitionKey: { name: 'k.l', type: AttributeType.STRING },
        sortKey: { name: 's.~h', type: AttributeType.STRING },
        projectionType: ProjectionType.INCLUDE,
        nonKeyAttributes: ['i', 'p', 'l', 'r', 't', 'x', 'a', 'c', 'u', 'v', 'h', 'b', 'n', 'd'],
      },
      {
        indexName: 'allByRating',
        partitionKey: { name: 'k', type: AttributeType.STRING },
        sortKey: { name: 's.~r', type: AttributeType.STRING },
        projectionType: ProjectionType.INCLUDE,
        nonKeyAttributes: ['i', 'p', 'l', 'r', 't', 'x', 'a', 'c', 'u', 'v', 'h', 'b', 'n', 'd'],
      },
    ],
  })
}
