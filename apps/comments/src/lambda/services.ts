import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { layoutNamed, type Observer, type PageStore, pageMarkers, segments } from 'lapidary'
import {
  budgetedClient,
  createMetrics,
  type Metrics,
  observeCapacity,
  registeredTracing,
  requestIds,
} from 'lapidary-http/internal'
import { type EmbeddedMetrics, embeddedMetrics } from 'lapidary-telemetry'
import { type Logger, pino } from 'pino'
import { type Config, ConfigError, readConfig } from '../config.ts'
import { createServices, type Services } from '../services.ts'

/** The services of each Lambda function of the application. */
export interface LambdaServices {
  readonly config: Config
  readonly services: Services
  readonly metrics: Metrics
  /** The same for CloudWatch, to be written when an invocation ends. */
  readonly embedded: EmbeddedMetrics
  readonly observers: readonly Observer[]
  /** Adds to each line the id of the invocation, and of the trace where there is one. */
  readonly logger: Logger
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
export async function openServices(env: Readonly<Record<string, string | undefined>>): Promise<LambdaServices> {
  const config = readConfig([], env)
  if (config === 'help') throw new ConfigError('a function has no flags')
  const { cursorSecret, pageIndex, tableName, maxCapacity } = config
  // Functions share no disk, so none could keep a secret that the next one reads.
  if (cursorSecret === undefined) throw new ConfigError('CURSOR_SECRET is not set; all functions need the same')
  const pages = Object.hasOwn(PAGE_STORES, pageIndex) ? PAGE_STORES[pageIndex] : undefined
  if (pages === undefined)
    throw new ConfigError(`PAGE_INDEX ${pageIndex} is not for functions; use ${Object.keys(PAGE_STORES).join(', ')}`)
  const client = new DynamoDBClient({})
  const { observers, traceIds } = await registeredTracing()
  const embedded = embeddedMetrics({ table: tableName })
  const metrics = createMetrics({ process: false, also: embedded })
  observeCapacity(client, metrics.observeCapacity)
  const store = pages()
  const services = createServices({
    ...{ client: budgetedClient(client), tableName, layout: layoutNamed(config.layout), cursorSecret, maxCapacity },
    observers: [...observers, metrics.observer],
    derived: { counts: true, ...(store === undefined ? {} : { pages: store }) },
  })
  const logger = pino({ level: config.logLevel, base: null, mixin: () => ({ ...requestIds(), ...traceIds() }) })
  return { config, services, metrics, embedded, observers, logger }
}
