import { setTimeout as sleep } from 'node:timers/promises'

/** Waits, or not any longer once the signal is given. */
export async function pauseUnless(signal: AbortSignal, milliseconds: number): Promise<void> {
  if (milliseconds > 0) await sleep(milliseconds, undefined, { signal }).catch(() => undefined)
}
