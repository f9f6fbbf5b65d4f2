import { setTimeout as sleep } from 'node:timers/promises'
import type { Poller } from 'lapidary'

const LOOK_EVERY_MS = 100

interface WaitOptions {
  readonly signal?: AbortSignal | undefined
  /** Called with the share, 0 to 1, of what was written since the beginning that is counted. */
  readonly onProgress?: ((share: number) => void) | undefined
  /** Milliseconds after which the wait ends: another process may be the one that counts. */
  readonly patienceMs: number
}

/**
 * Resolves when everything that was written until now is counted.
 *
 * @param since The time when the writing began, in milliseconds since 1970.
 * @returns Whether everything is counted; false when the time was up, or the wait was stopped.
 */
export async function waitUntilCounted(
  poller: Poller,
  since: number,
  { signal, onProgress, patienceMs }: WaitOptions,
): Promise<boolean> {
  const written = Date.now()
  const isCounted = () => (poller.status().caughtUpAt ?? 0) > written
  while (!isCounted()) {
    if (signal?.aborted === true || Date.now() - written > patienceMs) return false
    const { lagMs } = poller.status()
    // The age of the last counted record says how far the counting is between the first and the last write.
    if (lagMs !== null) onProgress?.(Math.min(1, Math.max(0, (Date.now() - lagMs - since) / (written - since || 1))))
    await sleep(LOOK_EVERY_MS)
  }
  return true
}
