import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'

const MOST_TRIES = 8

/**
 * Tries of the SDK that follow each other at once, and more of them than its three: thousands of commands at troubled connections would otherwise
 * mostly wait, and one would fail.
 */
export const PROMPT_RETRIES: Pick<DynamoDBClientConfig, 'retryStrategy'> = {
  retryStrategy: {
    mode: 'standard',
    acquireInitialRetryToken: async () => tokenOf(0),
    async refreshRetryTokenForRetry(token, { errorType }) {
      if (errorType === 'CLIENT_ERROR' || token.getRetryCount() + 1 >= MOST_TRIES) throw new Error('no more tries')
      return tokenOf(token.getRetryCount() + 1)
    },
    recordSuccess() {},
  } as NonNullable<DynamoDBClientConfig['retryStrategy']>,
}

function tokenOf(count: number) {
  return {
    getRetryCount: () => count,
    getRetryDelay: () => 0,
    getRetryCost: () => 0,
    isLongPoll: () => false,
    getLastRetryCost: () => undefined,
  }
}
