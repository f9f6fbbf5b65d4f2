import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { databaseError, layoutNamed, type Poller, type SortedLists, tableFor } from 'lapidary'
import { requireMultiAttributeKeys } from 'lapidary/schema'
import { type Engine, openEngine, shownEndpoint } from 'lapidary-engine'
import {
  budgetedClient,
  createMetrics,
  observeCapacity,
  type ReadinessChecks,
  registeredTracing,
} from 'lapidary-http/internal'
import {
  createHttpServer,
  derivedDataReport,
  lagBeyond,
  observeDerivedData,
  requireFreePort,
  StartError,
  startDerivedData,
  watchDisk,
} from 'lapidary-http/internal/server'
import type { Logger } from 'pino'
import { createApp } from './app.ts'
import { commentsIn } from './comment.ts'
import type { Config } from './config.ts'
import { requireDataFolder } from './data-folder.ts'
import { demoCatalogue } from './demo/demo-catalogue.ts'
import { demoComments, fillDemoData, hasDemoData } from './demo/fill-demo-data.ts'
import { waitUntilCounted } from './demo/wait-until-counted.ts'
import type { DemoProgress } from './demo-progress.ts'
import { renewTable } from './earlier-table.ts'
import { addPhotoRoutes } from './http/photo-routes.ts'
import { keptSecret } from './kept-secret.ts'
import { openPageStore } from './page-index.ts'
import { loadIdentity } from './people/load-identity.ts'
import { openPhotoStorage } from './photo-storages.ts'
import { openPhotos } from './photos/open-photos.ts'
import { createServices, type Services } from './services.ts'

/** A server that accepts requests until it is closed. */
export interface RunningServer {
  /** The address `http://127.0.0.1:3000`, with the port that was really taken. */
  readonly address: string
  /** The admin token that the server made, when none was given. */
  readonly madeAdminToken: string | undefined
  /** Stops accepting, finishes requests under way within some seconds, and releases the database. */
  close(): Promise<void>
}

/** Options to follow and stop a start. */
interface StartOptions {
  readonly signal?: AbortSignal
  readonly progress?: DemoProgress
}

const DATABASE_TIMEOUT_MS = 5_000
/** The meanings of errors without an answer of the database. */
const AWAY: readonly unknown[] = ['lost', 'unreachable']

/**
 * Opens the database, creates the table when it is missing, fills in demo data the first time, and serves.
 *
 * @param options Options to follow and stop the start; a stopped start throws the signal's reason.
 * @throws {ConfigError} for settings that do not go together.
 * @throws {StartError} when the port is taken or can't be used, or the database does not answer.
 * @throws {EngineError} `engine_unavailable`.
 * @throws {LapidaryError} `not_implemented` (a layout that the embedded engine can't query), `unavailable`.
 */
export async function startServer(config: Config, logger: Logger, options: StartOptions = {}): Promise<RunningServer> {
  const { dataDir, tableName, dynamodbEndpoint } = config
  const layout = layoutNamed(config.layout)
  const definition = tableFor({ tableName, collections: { comments: commentsIn(layout.name) }, layout })
  requireMultiAttributeKeys(definition, { kind: dynamodbEndpoint === undefined ? 'embedded' : 'endpoint' })
  const server = createHttpServer()
  await requireFreePort(config)
  requireDataFolder(config)
  const engine = await openEngine({ dataDir, endpoint: dynamodbEndpoint })
  const client = databaseClient(engine)
  const metrics = createMetrics()
  const { observers } = await registeredTracing()
  observeCapacity(client, metrics.observeCapacity)
  const disk = watchDisk(client)
  let derivedData: Poller | undefined
  let pages: SortedLists | undefined
  const ending = new AbortController()
  const letGo = async (): Promise<void> => {
    ending.abort()
    await derivedData?.close()
    await pages?.close()
    client.destroy()
    await engine.close()
  }
  try {
    const pageStore = openPageStore(config, (error) =>
      logger.warn({ err: error }, 'the store of page numbers is away; pages have cursors only until it is back'),
    )
    const storage = await openPhotoStorage(config)
    const services = createServices({
      ...(storage === undefined ? {} : { photos: openPhotos(storage) }),
      client: budgetedClient(client),
      tableName,
      layout,
      cursorSecret: config.cursorSecret ?? keptSecret(dataDir, 'cursor-secret'),
      derived: {
        counts: true,
        ...(pageStore === undefined ? {} : { pages: pageStore }),
      },
      stream: { immediate: engine.kind === 'embedded' },
      observers: [...observers, metrics.observer],
      maxCapacity: config.maxCapacity,
      countsBehind: () => lagBeyond(derivedData, config.maxLagMs),
    })
    pages = services.comments.context.pages[0]?.lists
    // Made-up comments do not belong in a table that its owner pays for.
    const demo = config.demo ?? dynamodbEndpoint !== 'aws'
    const isNew = await services.database.table.create({ pages: demo ? 'later' : 'now' })
    if (isNew) logger.info({ tableName }, 'created the table')
    const { signal: stopped = ending.signal } = options
    const isRenewed =
      !isNew && engine.kind === 'embedded' && (await renewTable(services, { client, logger, signal: stopped }))
    // The page index is made faster from complete demo data than followed while they come.
    let isFilled = false
    const poller = await startDerivedData(services, logger, () => isFilled)
    derivedData = poller
    observeDerivedData(metrics, services, poller)
    const count = config.demoComments ?? demoComments(services.comments.context.layout)
    if (demo) await fillAndCount(services, { poller, logger, comments: count, ...options })
    const catalogue = (await hasDemoData(services.comments)) ? demoCatalogue() : undefined
    options.signal?.throwIfAborted()
    if (isNew || isRenewed) await fillDerivedData(services, { logger, signal: ending.signal })
    isFilled = true
    options.signal?.throwIfAborted()
    const identity = config.identity === undefined ? undefined : await loadIdentity(config.identity)
    // A name alone is enough among made-up comments on one's own machine, and nowhere else.
    const isDemo = demo && catalogue !== undefined && dynamodbEndpoint !== 'aws'
    const adminToken = config.adminToken ?? keptSecret(dataDir, 'admin-token')
    const app = createApp(services, {
      tokens: { admin: adminToken, writer: config.writerToken },
      ...{ logger, metrics, observers },
      ...{ publicUrl: config.publicUrl, moderation: config.moderation },
      ...(identity === undefined ? {} : { identity }),
      ...(isDemo ? { demoSignIn: `sign-in of the demo: ${adminToken}` } : {}),
      catalogue,
      photoRoutes: addPhotoRoutes,
      readiness: {
        ...readinessChecks(client, tableName),
        disk,
        derivedData: () => derivedDataReport(services, poller),
      },
    })
    const port = await server.listen(app.fetch, config)
    const host = config.host.includes(':') ? `[${config.host}]` : config.host
    return {
      address: `http://${host}:${port}`,
      madeAdminToken: config.adminToken === undefined ? adminToken : undefined,
      close: once(async () => {
        await server.drain()
        await letGo()
      }),
    }
  } catch (error) {
    await letGo()
    const known = databaseError(error, `the table ${tableName}`)
    throw AWAY.includes(known?.details.meaning) ? unreachable(engine, known?.cause) : (known ?? error)
  }
}

/** Fills the derived data of a new table before the first page is read; the background tries again what fails. */
async function fillDerivedData(
  { database }: Services,
  { logger, signal }: { readonly logger: Logger; readonly signal: AbortSignal },
): Promise<void> {
  try {
    const { filled } = await database.derived.fill({ signal, poll: false })
    if (filled > 0) logger.info({ filled }, 'made the derived data of the comments')
  } catch (error) {
    if (!signal.aborted)
      logger.warn({ err: error }, 'the derived data of the comments is not made yet; the server tries again')
  }
}

const COUNT_WITHIN_MS = 120_000

interface FillingOptions {
  readonly poller: Poller
  readonly logger: Logger
  /** The number of comments. */
  readonly comments: number
}

/** Fills in demo data the first time, and waits until it is counted, so that the counts of the first page are true. */
async function fillAndCount(
  services: Services,
  { poller, logger, comments, signal, progress }: StartOptions & FillingOptions,
): Promise<void> {
  const since = Date.now()
  const counted = async (): Promise<boolean> => {
    const onProgress = progress?.counted
    const done = await waitUntilCounted(poller, since, { signal, onProgress, patienceMs: COUNT_WITHIN_MS })
    signal?.throwIfAborted()
    if (done) onProgress?.(1)
    else logger.warn({ ms: COUNT_WITHIN_MS }, 'the demo data is not counted yet; /readyz tells how far the counts are')
    return done
  }
  await fillDemoData(services.comments, {
    ...{ comments, counted, photos: services.photos },
    ...(signal === undefined ? {} : { signal }),
    ...(progress === undefined ? {} : { onProgress: progress.filled }),
  })
}

/** Makes a client that gives up on a database that does not answer. */
function databaseClient({ clientConfig }: Engine): DynamoDBClient {
  const requestHandler = {
    ...(clientConfig.requestHandler as object),
    connectionTimeout: 2_000,
    requestTimeout: DATABASE_TIMEOUT_MS,
    throwOnRequestTimeout: true,
  }
  return new DynamoDBClient({ ...clientConfig, requestHandler })
}

function unreachable({ endpoint = 'AWS' }: Engine, error: unknown): StartError {
  const { name, message } = error as Error
  return new StartError(
    `DynamoDB at ${shownEndpoint(endpoint)} does not answer (${message || name}); is it running, and is DYNAMODB_ENDPOINT right?`,
  )
}

function readinessChecks(client: DynamoDBClient, tableName: string): ReadinessChecks {
  return {
    table: async (abortSignal) => {
      const startedAt = performance.now()
      const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }), { abortSignal })
      const status = Table?.TableStatus
      return { ok: status === 'ACTIVE' || status === 'UPDATING', status, ms: Math.round(performance.now() - startedAt) }
    },
  }
}

function once(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  return () => {
    running ??= run()
    return running
  }
}
