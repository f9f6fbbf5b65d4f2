// biome-ignore-all lint/suspicious/noTsIgnore: where the package is installed there is no error to expect.
/**
 * The client of DynamoDB Streams. Its package is optional: without it this is `any`, and our declarations have no error.
 *
 * @ts-ignore */
export type StreamsClient = import('@aws-sdk/client-dynamodb-streams').DynamoDBStreamsClient
