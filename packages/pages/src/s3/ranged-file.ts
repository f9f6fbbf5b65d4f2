import type { ReadableFile } from '../file/disk.ts'
import type { Objects } from './objects.ts'

/** Read at a time: a request costs the same for a record as for this many bytes, and neighbours are asked for next. */
export const CHUNK_BYTES = 65_536

/** Bytes that are not here yet. What was begun is made again when they are. */
export class Unread extends Error {
  override readonly name = 'Unread'
  readonly load: () => Promise<void>

  constructor(load: () => Promise<void>) {
    super('a part of an object in S3 is not read yet')
    this.load = load
  }
}

/** An object that never changes, read as a file is, in ranges. */
export class RangedFile implements ReadableFile {
  readonly #objects: Objects
  readonly #key: string
  readonly #bytes: number
  readonly #mostChunks: number
  /** In the order in which they were read. */
  readonly #chunks = new Map<number, Buffer>()
  readonly #loading = new Map<number, Promise<void>>()

  constructor(objects: Objects, key: string, bytes: number, cacheBytes: number) {
    this.#objects = objects
    this.#key = key
    this.#bytes = bytes
    this.#mostChunks = Math.max(1, Math.floor(cacheBytes / CHUNK_BYTES))
  }

  size(): number {
    return this.#bytes
  }

  /** @throws {Unread} */
  read(into: Buffer, offset: number, length: number, position: number): number {
    let done = 0
    for (const end = Math.min(length, this.#bytes - position); done < end; ) {
      const number = Math.floor((position + done) / CHUNK_BYTES)
      const chunk = this.#chunks.get(number)
      if (chunk === undefined) throw new Unread(() => this.load(number))
      const within = (position + done) % CHUNK_BYTES
      done += chunk.copy(into, offset + done, within, Math.min(chunk.length, within + end - done))
    }
    return done
  }

  /** Forgets what was read longest ago, as far as there is too much; not while anything is read. */
  trim(): void {
    for (const number of this.#chunks.keys()) {
      if (this.#chunks.size <= this.#mostChunks) return
      this.#chunks.delete(number)
    }
  }

  load(number: number): Promise<void> {
    const loading = this.#loading.get(number) ?? this.#load(number).finally(() => this.#loading.delete(number))
    this.#loading.set(number, loading)
    return loading
  }

  async #load(number: number): Promise<void> {
    if (this.#chunks.has(number)) return
    const from = number * CHUNK_BYTES
    const chunk = await this.#objects.readRange(this.#key, from, Math.min(this.#bytes, from + CHUNK_BYTES))
    this.#chunks.set(number, chunk)
  }

  async readLater(into: Buffer, offset: number, length: number, position: number): Promise<number> {
    for (;;) {
      try {
        return this.read(into, offset, length, position)
      } catch (error) {
        if (!(error instanceof Unread)) throw error
        await error.load()
      }
    }
  }

  close(): void {
    this.#chunks.clear()
  }
}
