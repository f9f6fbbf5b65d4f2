import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { createPlainClient } from '../../packages/lapidary/test/stream/plain-client.ts'
import type { TestEngine } from './index.ts'

/**
 * A client without the SDK's middleware, which is most of the processor's time of a suite that sends tens of thousands of small
 * requests. It can be aborted as the SDK's can. The caller destroys it.
 */
export function createLightClient({ endpoint }: TestEngine): DynamoDBClient {
  const { client, close } = createPlainClient(endpoint)
  const send = (command: never, options?: { readonly abortSignal?: AbortSignal }): Promise<unknown> => {
    const { abortSignal } = options ?? {}
    if (abortSignal === undefined) return client.send(command)
    return new Promise((resolve, reject) => {
      const abort = (): void => reject(Object.assign(new Error('Request aborted'), { name: 'AbortError' }))
      if (abortSignal.aborted) return abort()
      abortSignal.addEventListener('abort', abort)
      const settled = (): void => abortSignal.removeEventListener('abort', abort)
      client.send(command).finally(settled).then(resolve, reject)
    })
  }
  return { send, destroy: close } as unknown as DynamoDBClient
}
