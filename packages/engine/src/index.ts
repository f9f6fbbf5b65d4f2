/** @module lapidary-engine */

import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { clientConfig } from './client-config.ts'
import { openEmbedded } from './embedded.ts'
import { knownOptions } from './known-options.ts'

export { clientConfig } from './client-config.ts'
export { makeDataFolder } from './data-folder.ts'
export { EngineError, type EngineErrorCode } from './engine-error.ts'
export { shownEndpoint } from './shown-endpoint.ts'

/** The DynamoDB to use; with neither option, a private embedded one that is removed with its holder. */
export interface EngineOptions {
  /** The folder of the embedded engine's database, shared by every process that opens it. */
  readonly dataDir?: string | undefined
  /** The address of an existing DynamoDB API (`unix:…`: an engine that is open), or `aws` for AWS. Wins over `dataDir`. */
  readonly endpoint?: string | undefined
}

/** A DynamoDB to talk to, for as long as it is open. */
export interface Engine extends AsyncDisposable {
  readonly kind: 'embedded' | 'endpoint' | 'aws'
  /** The API's address: a URL, or `unix:` and a socket's path; undefined for AWS, where the region decides. */
  readonly endpoint: string | undefined
  /** The configuration by which a DynamoDB client reaches it: address, region, credentials, connections. */
  readonly clientConfig: DynamoDBClientConfig
  /** Releases the engine. An embedded one ends with its last holder, in whatever process. */
  close(): Promise<void>
}

/**
 * Opens the DynamoDB that the options name, and starts the embedded one unless another process has.
 *
 * @throws {EngineError} `engine_unavailable` when the embedded engine has no binary for this platform or does not start; `bad_request` when the
 * endpoint is neither a URL nor `aws`, and for an unknown option.
 *
 * @example
 * ```ts
 * await using engine = await openEngine({ dataDir: '.lapidary' })
 * const client = new DynamoDBClient(engine.clientConfig)
 * ```
 */
export async function openEngine(options: EngineOptions = {}): Promise<Engine> {
  const { dataDir, endpoint } = knownOptions('openEngine', options, ['dataDir', 'endpoint'])
  if (endpoint === 'aws') return engine('aws', undefined, async () => {})
  if (endpoint) return engine('endpoint', endpoint, async () => {})
  const embedded = await openEmbedded(dataDir)
  return engine('embedded', embedded.endpoint, embedded.close)
}

function engine(kind: Engine['kind'], endpoint: string | undefined, close: () => Promise<void>): Engine {
  return { kind, endpoint, clientConfig: clientConfig(endpoint), close, [Symbol.asyncDispose]: close }
}
