import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { clientConfig } from 'lapidary-engine'
import { createPlainClient } from './plain-client.ts'

/**
 * Makes a client without the SDK's middleware, which takes most of the processor's time in a suite that sends tens of thousands of small
 * requests. It can be aborted as the SDK's can, and has the SDK's configuration for clients that are made from it. The caller destroys it.
 */
export function createLightClient(endpoint: string): DynamoDBClient {
  const { client, close } = createPlainClient(endpoint)
  let whole: DynamoDBClient | undefined
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
  return {
    send,
    get config() {
      whole ??= new DynamoDBClient(clientConfig(endpoint, {}))
      return whole.config
    },
    destroy() {
      close()
      whole?.destroy()
    },
  } as unknown as DynamoDBClient
}

/** Makes the same for the change streams of an endpoint. */
export function createLightStreams(endpoint: string): DynamoDBStreamsClient {
  const { streams, close } = createPlainClient(endpoint)
  return Object.assign(streams, { destroy: close })
}
