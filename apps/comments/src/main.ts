import { LapidaryError } from 'lapidary'
import { EngineError } from 'lapidary-engine'
import { registeredTracing, requestIds } from 'lapidary-http/internal'
import { StartError } from 'lapidary-http/internal/server'
import { pino } from 'pino'
import { type Config, ConfigError, readConfig, USAGE } from './config.ts'
import { demoProgress } from './demo-progress.ts'
import { logStream } from './log-stream.ts'
import { type RunningServer, startServer } from './server.ts'

const FAILED = 1
const WRONG_USAGE = 2
/** A database that hangs must not keep the process beyond the 10 s after which service managers kill it. */
const END_WITHIN_MS = 9_000

function settings(): Config {
  try {
    const config = readConfig(process.argv.slice(2), process.env)
    if (config !== 'help') return config
    process.stdout.write(`${USAGE}\n`)
    process.exit(0)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(WRONG_USAGE)
  }
}

// The SDK's remark on later versions of Node would come before the address, at every start.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true'

const config = settings()
const { traceIds } = await registeredTracing()
const mixin = (): object => ({ ...requestIds(), ...traceIds() })
const logger = pino({ level: config.logLevel, base: null, mixin }, logStream())

const stop = new AbortController()
let server: RunningServer | undefined

async function end(signal: NodeJS.Signals): Promise<void> {
  // A second signal means: do not wait.
  if (stop.signal.aborted) process.exit(FAILED)
  logger.info({ signal }, 'ending')
  stop.abort()
  setTimeout(() => {
    logger.warn({ ms: END_WITHIN_MS }, 'ending with work unfinished: the database or a client does not answer')
    process.exit(0)
  }, END_WITHIN_MS).unref()
  // A server that is still starting stops by itself, below.
  if (server !== undefined) await close(server)
}

async function close(running: RunningServer): Promise<void> {
  try {
    await running.close()
    process.exit(0)
  } catch (error) {
    logger.fatal({ err: error }, 'could not end cleanly')
    process.exit(FAILED)
  }
}

process.on('SIGTERM', end)
process.on('SIGINT', end)

const progress = demoProgress(logger)
try {
  server = await startServer(config, logger, { signal: stop.signal, progress })
  progress.stop()
  if (stop.signal.aborted) await close(server)
  const { address, madeAdminToken } = server
  const kept = `(kept in ${config.dataDir}; set ADMIN_TOKEN to choose one)`
  const token = madeAdminToken === undefined ? '' : `admin token: ${madeAdminToken} ${kept}\n`
  process.stdout.write(`listening on ${address}\n${token}`)
} catch (error) {
  progress.stop()
  if (stop.signal.aborted) process.exit(0)
  const expected = [ConfigError, StartError, LapidaryError, EngineError].some((known) => error instanceof known)
  process.stderr.write(`${(error as Error)[expected ? 'message' : 'stack']}\n`)
  process.exit(error instanceof ConfigError ? WRONG_USAGE : FAILED)
}
