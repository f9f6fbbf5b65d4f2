import { setImmediate as nextTurn } from 'node:timers/promises'

const BREATH_MS = 50

/** The same items; the process takes signals between them, though making them waits for nothing. */
export async function* breathing<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T> {
  let breathed = performance.now()
  for await (const item of items) {
    yield item
    if (performance.now() - breathed < BREATH_MS) continue
    await nextTurn()
    breathed = performance.now()
  }
}
