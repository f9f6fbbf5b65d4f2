import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { LapidaryError } from 'lapidary'
import { createStudio } from './create-studio.tsx'
import type { StudioOptions } from './studio-options.ts'

/** A studio that is open. */
export interface Studio extends AsyncDisposable {
  /** The address with its token: `http://127.0.0.1:N/?token=…`. */
  readonly url: string
  readonly port: number
  /** Stops what is under way, and ends. */
  close(): Promise<void>
}

/** Loopback only: what the pages show and change is for who sits at this machine. */
const HOST = '127.0.0.1'
const SECRET_BYTES = 24

/**
 * Opens a studio on loopback.
 *
 * @param options With the `port`, 0 for any that is free, which it is when not given.
 * @throws {LapidaryError} `unavailable` where the port is taken.
 * @example
 * ```ts
 * const collections = { comments: { collection: comments, client: lapidary.comments } }
 * await using studio = await startStudio({ database: lapidary, collections, place: 'DynamoDB in eu-central-1' })
 * console.log(studio.url)
 * ```
 */
export async function startStudio({
  port = 0,
  ...options
}: StudioOptions & { readonly port?: number }): Promise<Studio> {
  const [token = '', session = ''] = [0, 1].map(() => randomBytes(SECRET_BYTES).toString('base64url'))
  const { app, jobs } = createStudio(options, { token, session })
  const server = await new Promise<ReturnType<typeof serve>>((resolve, reject) => {
    const opened = serve({ fetch: app.fetch, port, hostname: HOST }, () => resolve(opened))
    opened.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? portTaken(port, error) : error),
    )
  })
  const taken = (server.address() as AddressInfo).port
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= (async () => {
      await jobs.stop()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      if ('closeAllConnections' in server) server.closeAllConnections()
      await closed
    })()
    return closing
  }
  return { url: `http://${HOST}:${taken}/?token=${token}`, port: taken, close, [Symbol.asyncDispose]: close }
}

function portTaken(port: number, cause: Error): LapidaryError {
  const message = `the port ${port} is taken by another program; choose another one, or 0 for any that is free`
  return new LapidaryError('unavailable', message, { cause })
}
