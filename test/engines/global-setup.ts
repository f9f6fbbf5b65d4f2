import { openEngine } from 'lapidary-engine'
import type { TestProject } from 'vitest/node'
import { startDynamoDbLocal } from './dynamodb-local.ts'

declare module 'vitest' {
  interface ProvidedContext {
    embeddedEndpoint: string
    dynamodbLocalEndpoint: string
  }
}

/** Starts the two engines of the whole run, and ends them after it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [embedded, local] = await Promise.all([openEngine(), startDynamoDbLocal()])
  project.provide('embeddedEndpoint', embedded.endpoint ?? '')
  project.provide('dynamodbLocalEndpoint', local.endpoint)
  return async () => {
    await Promise.all([embedded.close(), local.close()])
  }
}
