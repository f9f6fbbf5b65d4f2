import { setImmediate as nextTurn } from 'node:timers/promises'

const BREATH_MS = 50

/** Passes the same items on, and lets the process take signals between them, also where making them never waits. */
export async function* breathing<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T> {
  let breathed = performance.now()
  for await (const item of items) {
    yield item
    if (performance.now() - breathed < BREATH_MS) continue
    await nextTurn()
    breathed = performance.now()
  }
}
