import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { constants } from 'node:zlib'
import { getRequestListener } from '@hono/node-server'
import compression from 'compression'
import { StartError } from './start-error.ts'
import { answerProblem, answerUnreadable, answerUnroutable, headerProblem } from './unreadable.ts'

/** Where a server listens; port 0 is any free one. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** An HTTP server for an application. */
export interface HttpServer {
  /** Answers with an application from now on, and returns the port that was taken. */
  listen(fetch: Fetch, address: ListenAddress): Promise<number>
  /** Stops accepting, and finishes requests under way: within 8 seconds when not given. */
  drain(withinMs?: number): Promise<void>
}

type Fetch = Parameters<typeof getRequestListener>[0]

const REQUEST_TIMEOUT_MS = 30_000
const HEADERS_TIMEOUT_MS = 10_000
const IDLE_TIMEOUT_MS = 5_000
/** Milliseconds after which a client that takes nothing of its answer is dropped, with what is kept for it. */
const SEND_TIMEOUT_MS = 10_000
const MAX_HEADER_BYTES = 16 * 1024
/** Milliseconds after which requests still under way are cut off, so that the process ends within 10 s. */
const DRAIN_MS = 8_000

/** Brotli at its default level, 11, takes a hundred times as long as at 4, for answers that are sent once. */
const compress = compression({ brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } } })

export function createHttpServer(options: { readonly sendTimeoutMs?: number } = {}): HttpServer {
  const server = createServer({
    requestTimeout: REQUEST_TIMEOUT_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    keepAliveTimeout: IDLE_TIMEOUT_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    connectionsCheckingInterval: 5_000,
    // Node's own refusal has no body; ours is below.
    requireHostHeader: false,
  })
  const underWay = new Set<ServerResponse>()
  server.on('clientError', answerUnreadable)
  server.setTimeout(options.sendTimeoutMs ?? SEND_TIMEOUT_MS, (socket) => {
    // A socket that waits for its answer, or sends slowly, has limits of its own.
    if (socket.writableLength > 0) socket.destroy()
  })
  return {
    listen(fetch, address) {
      const listener = getRequestListener(fetch, {
        errorHandler: answerUnroutable,
        hostname: 'localhost',
        // Node drops the rest of a refused body by itself, and gives the client the time to send it.
        autoCleanupIncoming: false,
      })
      const answer = (request: IncomingMessage, response: ServerResponse): void => {
        underWay.add(response)
        response.once('close', () => underWay.delete(response))
        if (!server.listening) response.shouldKeepAlive = false
        const problem = headerProblem(request)
        if (problem !== undefined) answerProblem(problem, response)
        else if (request.headers['accept-encoding'] === undefined) void listener(request, response)
        else compress(request as never, response as never, () => void listener(request, response))
      }
      server.on('request', answer)
      // The server may ignore an unknown expectation (RFC 9110, 10.1.1).
      server.on('checkExpectation', answer)
      return listenOn(server, address)
    },
    async drain(withinMs = DRAIN_MS) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const response of underWay) response.shouldKeepAlive = false
      // A kept-alive connection becomes idle only after its last answer.
      const idle = setInterval(() => server.closeIdleConnections(), 50)
      const late = setTimeout(() => server.closeAllConnections(), withinMs)
      await closed
      clearInterval(idle)
      clearTimeout(late)
    },
  }
}

/** Throws if the port is taken, before the database is opened and filled, which may take a while. */
export async function requireFreePort(address: ListenAddress): Promise<void> {
  if (address.port === 0) return
  const probe = createServer()
  await listenOn(probe, address)
  await new Promise((resolve) => probe.close(resolve))
}

function listenOn(server: Server, { port, host }: ListenAddress): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reasons: Readonly<Record<string, string>> = {
        EADDRINUSE: 'is in use; stop what uses it, or choose another (PORT=0 takes any free one)',
        EACCES: 'needs more rights than this process has; choose one above 1023',
        EADDRNOTAVAIL: 'is not an address of this machine; set HOST to one, such as 127.0.0.1',
        ENOTFOUND: 'is not a known host; set HOST to an address of this machine, such as 127.0.0.1',
      }
      reject(new StartError(`${host}:${port} ${reasons[error.code ?? ''] ?? `can't be used: ${error.message}`}`))
    })
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
  })
}
