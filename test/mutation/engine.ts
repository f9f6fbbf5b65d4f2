import type { TestProject } from 'vitest/node'
import { startBareEngine } from '../engines/bare-engine.ts'

/** Starts one engine, for folders whose promises are what a table holds: a second one would only take a mutant twice as long. */
export async function setup(project: TestProject): Promise<() => PromiseLike<void>> {
  const engine = await startBareEngine()
  project.provide('embeddedEndpoint', engine.endpoint)
  project.provide('dynamodbLocalEndpoint', '')
  return () => engine[Symbol.asyncDispose]()
}
