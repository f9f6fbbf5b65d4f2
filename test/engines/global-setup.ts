import { DynamoDBClient, paginateListTables } from '@aws-sdk/client-dynamodb'
import { clientConfig } from 'lapidary-engine'
import type { TestProject } from 'vitest/node'
import { startBareEngine } from './bare-engine.ts'
import { startDynamoDbLocal } from './dynamodb-local.ts'
import { openRunFolder } from './run-folder.ts'

declare module 'vitest' {
  interface ProvidedContext {
    embeddedEndpoint: string
    dynamodbLocalEndpoint: string
  }
}

/** Starts the two engines of the whole run, and ends them after it; anything that the tests left behind fails the run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = openRunFolder()
  process.env.TMPDIR = folder.path
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true'
  // The engines run without the guard; its own tests, and those of the application and the command line, use it.
  const [embedded, local] = await Promise.all([startBareEngine(), startDynamoDbLocal()])
  project.provide('embeddedEndpoint', embedded.endpoint)
  project.provide('dynamodbLocalEndpoint', local.endpoint)
  return async () => {
    const tables = await Promise.all([embedded.endpoint, local.endpoint].map(tablesOf))
    await Promise.all([embedded[Symbol.asyncDispose](), local.close()])
    const left = [...tables.flat(), ...(await folder.close())]
    if (left.length > 0) {
      console.error(`the tests left behind:\n  ${left.join('\n  ')}`)
      process.exitCode = 1
    }
  }
}

async function tablesOf(endpoint: string): Promise<readonly string[]> {
  const client = new DynamoDBClient(clientConfig(endpoint, {}))
  const names: string[] = []
  for await (const { TableNames = [] } of paginateListTables({ client }, {})) names.push(...TableNames)
  client.destroy()
  return names.map((name) => `the table ${name} on ${endpoint}`)
}
