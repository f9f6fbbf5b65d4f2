import { Pool } from 'undici'

/** The result of a load. */
export interface LoadResult {
  readonly perSecond: number
  /** Requests by status. */
  readonly statuses: Readonly<Record<number, number>>
}

/** A request other than a GET. */
export interface OtherRequest {
  readonly method: 'PATCH'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface Load {
  readonly address: string
  /** The n-th request: the path of a GET, or another one. */
  readonly path: (n: number) => string | OtherRequest
  readonly requests: number
  readonly connections: number
  /** When to end even so, as `performance.now()` has it; never when not given. */
  readonly deadline?: number | undefined
}

/** Sends requests over some connections, each as soon as the one before it is answered. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const { address, path, requests, connections, deadline = Number.POSITIVE_INFINITY } = load
  const pool = new Pool(address, { connections })
  const statuses: Record<number, number> = {}
  let sent = 0
  const startedAt = performance.now()
  const client = async (): Promise<void> => {
    while (sent < requests && performance.now() < deadline) {
      const request = path(sent++)
      const { statusCode, body } = await pool.request(
        typeof request === 'string' ? { method: 'GET', path: request } : request,
      )
      await body.dump()
      statuses[statusCode] = (statuses[statusCode] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: connections }, client))
  const seconds = (performance.now() - startedAt) / 1000
  await pool.close()
  return { perSecond: sent / seconds, statuses }
}
