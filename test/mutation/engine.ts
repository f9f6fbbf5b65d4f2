import type { TestProject } from 'vitest/node'
import { startBareEngine } from '../engines/bare-engine.ts'

/** The embedded engine in the place of both: a mutant is the same on either, and DynamoDB Local takes longer. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const embedded = await startBareEngine()
  project.provide('embeddedEndpoint', embedded.endpoint)
  project.provide('dynamodbLocalEndpoint', embedded.endpoint)
  return async () => await embedded[Symbol.asyncDispose]()
}
