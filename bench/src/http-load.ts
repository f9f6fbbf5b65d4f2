import { Pool } from 'undici'

/** The result of a load. */
export interface LoadResult {
  readonly perSecond: number
  /** Requests by status. */
  readonly statuses: Readonly<Record<number, number>>
}

interface Load {
  readonly address: string
  /** The path of the n-th request. */
  readonly path: (n: number) => string
  readonly requests: number
  readonly connections: number
  /** When to end even so, as `performance.now()` has it; never when not given. */
  readonly deadline?: number | undefined
}

/** Sends GET requests over some connections, each as soon as the one before it is answered. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const { address, path, requests, connections, deadline = Number.POSITIVE_INFINITY } = load
  const pool = new Pool(address, { connections })
  const statuses: Record<number, number> = {}
  let sent = 0
  const startedAt = performance.now()
  const client = async (): Promise<void> => {
    while (sent < requests && performance.now() < deadline) {
      const { statusCode, body } = await pool.request({ method: 'GET', path: path(sent++) })
      await body.dump()
      statuses[statusCode] = (statuses[statusCode] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: connections }, client))
  const seconds = (performance.now() - startedAt) / 1000
  await pool.close()
  return { perSecond: sent / seconds, statuses }
}
