/** Bytes of which the first were looked at, and which are all still to be read. */
export interface Peeked {
  readonly head: Buffer
  readonly chunks: AsyncIterable<Buffer>
}

/** Looks at the first bytes of something that can be read only once. */
export async function peeked(chunks: AsyncIterable<Buffer>, bytes: number): Promise<Peeked> {
  const iterator = chunks[Symbol.asyncIterator]()
  const first: Buffer[] = []
  let length = 0
  let ended = false
  while (length < bytes && !ended) {
    const { value, done } = await iterator.next()
    if (done === true) ended = true
    else {
      first.push(value)
      length += value.length
    }
  }
  return { head: Buffer.concat(first).subarray(0, bytes), chunks: after(first, iterator) }
}

async function* after(first: readonly Buffer[], iterator: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* first
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value
  } finally {
    await iterator.return?.()
  }
}
