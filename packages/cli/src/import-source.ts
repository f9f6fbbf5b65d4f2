import { createHash } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import { access, open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createGunzip } from 'node:zlib'
import { LapidaryError } from 'lapidary'

/** The source of an import: its bytes, and how far they are read. */
export interface ImportSource {
  readonly format: 'jsonl' | 'csv'
  /** Bytes of the file on the disk; undefined for standard input. */
  readonly totalBytes: number | undefined
  bytesRead(): number
  /** The decompressed bytes. */
  readonly chunks: AsyncIterable<Buffer>
  /** The identity, the same for the same content: path, size, time of change and a hash of the head; undefined for standard input. */
  readonly identity: string | undefined
}

const HEAD_BYTES = 64 * 1024
const CHUNK_BYTES = 256 * 1024

/**
 * Opens a file, or standard input for `-`. Compressed files are known by their first bytes.
 *
 * @param signal Ends the wait for standard input; a file needs no wait.
 * @throws A file system error with its `path`.
 */
export async function openSource(file: string, signal: AbortSignal): Promise<ImportSource> {
  if (file === '-') {
    const chunks = standardInput(signal)
    return { format: 'jsonl', totalBytes: undefined, bytesRead: () => 0, chunks, identity: undefined }
  }
  const path = resolve(file)
  const { size, head, changed } = await lookAt(path)
  const compressed = head[0] === 0x1f && head[1] === 0x8b
  const stream = createReadStream(path, { highWaterMark: CHUNK_BYTES })
  const hash = createHash('sha256').update(`${path}\0${size}\0${changed}\0`).update(head).digest('hex')
  return {
    format: /\.csv(\.gz)?$/i.test(path) ? 'csv' : 'jsonl',
    totalBytes: size,
    bytesRead: () => stream.bytesRead,
    chunks: compressed ? decompressed(path, stream) : stream,
    identity: hash,
  }
}

async function lookAt(path: string): Promise<{ size: number; head: Buffer; changed: number }> {
  await access(path, constants.R_OK)
  const handle = await open(path)
  try {
    const { size, mtimeMs } = await handle.stat()
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return { size, head: buffer.subarray(0, bytesRead), changed: mtimeMs }
  } catch (error) {
    throw Object.assign(error as object, { path })
  } finally {
    await handle.close()
  }
}

async function* decompressed(path: string, stream: NodeJS.ReadableStream): AsyncGenerator<Buffer> {
  try {
    yield* stream.pipe(createGunzip({ chunkSize: CHUNK_BYTES }))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new LapidaryError('bad_request', `${path} can't be decompressed (${reason}); is it complete?`, {
      cause: error,
    })
  }
}

async function* standardInput(signal: AbortSignal): AsyncGenerator<Buffer> {
  const input = process.stdin
  const stop = (): void => void input.destroy()
  signal.addEventListener('abort', stop)
  try {
    yield* input as AsyncIterable<Buffer>
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    signal.removeEventListener('abort', stop)
    input.destroy()
  }
}
