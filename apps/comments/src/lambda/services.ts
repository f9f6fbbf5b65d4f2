import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { layoutNamed, type PageStore, pageMarkers, segments } from 'lapidary'
import { budgetedClient, createMetrics, type Metrics, observeCapacity } from 'lapidary-http/internal'
import { type Config, ConfigError, readConfig } from '../config.ts'
import { createServices, type Services } from '../services.ts'

/** The services of each Lambda function of the application. */
export interface LambdaServices {
  readonly config: Config
  readonly services: Services
  readonly metrics: Metrics
}

/** Stores of page numbers that need only the table. */
const PAGE_STORES: Readonly<Record<string, () => PageStore | undefined>> = {
  none: () => undefined,
  dynamodb: () => segments(),
  'page-markers': () => pageMarkers(),
}

/**
 * Opens the services of one function from its environment variables, which are those of the server.
 *
 * @throws {ConfigError} for a wrong or missing variable, and for a store of page numbers outside the table.
 */
export function openServices(env: Readonly<Record<string, string | undefined>>): LambdaServices {
  const config = readConfig([], env)
  if (config === 'help') throw new ConfigError('a function has no flags')
  const { cursorSecret, pageIndex, tableName, maxCapacity } = config
  // Functions share no disk, so none could keep a secret that the next one reads.
  if (cursorSecret === undefined) throw new ConfigError('CURSOR_SECRET is not set; all functions need the same')
  const pages = Object.hasOwn(PAGE_STORES, pageIndex) ? PAGE_STORES[pageIndex] : undefined
  if (pages === undefined)
    throw new ConfigError(`PAGE_INDEX ${pageIndex} is not for functions; use ${Object.keys(PAGE_STORES).join(', ')}`)
  const client = new DynamoDBClient({})
  const metrics = createMetrics({ process: false })
  observeCapacity(client, metrics.observeCapacity)
  const store = pages()
  const services = createServices({
    ...{ client: budgetedClient(client), tableName, layout: layoutNamed(config.layout), cursorSecret, maxCapacity },
    derived: { counts: true, ...(store === undefined ? {} : { pages: store }) },
  })
  return { config, services, metrics }
}
