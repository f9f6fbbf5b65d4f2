import { createHash, type Hash } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import { access, open, readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { LapidaryError } from 'lapidary'
import { decompressed } from './decompressed.ts'

/** One file of an import, not open yet. */
export interface ImportFile {
  /** The name as people call it; undefined for standard input. */
  readonly name: string | undefined
  open(): Promise<OpenFile>
}

/** The bytes of a file, decompressed. */
export interface OpenFile {
  /** The name without the ending of what it was compressed by; of a zip file the name of what is in it. */
  readonly name: string | undefined
  readonly chunks: AsyncIterable<Buffer>
  /** The part of the file that is read, from 0 to 1, where the bytes read of it do not say so. */
  readonly share?: () => number
  close(): Promise<void>
}

/** All files of an import, in order. */
export interface ImportFiles {
  readonly files: readonly ImportFile[]
  /** Names in the folder that are no files to be imported. */
  readonly passedOver: readonly string[]
  /** Bytes on the disk; undefined where a pipe has them. */
  readonly totalBytes: number | undefined
  bytesRead(): number
  /** The identity, the same for the same content: of each file path, size, time of change and a hash of the head; undefined for a pipe. */
  readonly identity: string | undefined
}

const HEAD_BYTES = 64 * 1024
const CHUNK_BYTES = 256 * 1024
/** What a folder holds to be imported. */
const ENDINGS = /\.(csv|tsv|tab|txt|json|jsonl|ndjson)(\.gz|\.zip)?$|\.(gz|zip)$/i

/**
 * Finds the files behind what a command names: a file, a folder of files, a pipe, or standard input for `-`.
 *
 * @param signal Ends the wait for a pipe; a file needs no wait.
 * @throws A file system error with its `path`; {LapidaryError} `bad_request` for a folder with nothing to import.
 */
export async function findFiles(file: string, signal: AbortSignal): Promise<ImportFiles> {
  const pipe = { passedOver: [], totalBytes: undefined, bytesRead: () => 0, identity: undefined }
  if (file === '-') return { ...pipe, files: [piped(undefined, () => process.stdin, signal)] }
  const path = resolve(file)
  await access(path, constants.R_OK)
  const found = await stat(path)
  if (!found.isDirectory() && !found.isFile())
    return { ...pipe, files: [piped(file, () => createReadStream(path), signal)] }
  const names = found.isDirectory() ? (await readdir(path, { withFileTypes: true })).sort(byName) : undefined
  const taken = names?.filter((entry) => entry.isFile() && !entry.name.startsWith('.') && ENDINGS.test(entry.name))
  if (taken?.length === 0) {
    throw new LapidaryError(
      'bad_request',
      `${path} is a folder with no file to import; their names end with .csv, .tsv, .txt, .json or .jsonl, or these with .gz or .zip`,
    )
  }
  const paths = taken?.map(({ name }) => join(path, name)) ?? [path]
  const hash = createHash('sha256')
  const sizes: number[] = []
  for (const each of paths) sizes.push(await lookAt(each, hash))
  let bytesBefore = 0
  let reading: (() => number) | undefined
  const files = paths.map((each, i): ImportFile => {
    const name = taken === undefined ? file : join(file, taken[i]?.name ?? '')
    return {
      name,
      async open() {
        const stream = createReadStream(each, { highWaterMark: CHUNK_BYTES })
        const opened = await decompressed({ name, path: each, chunks: stream })
        const { share } = opened
        const size = sizes[i] ?? 0
        // A file may be opened twice: its header is looked at before all are read.
        bytesBefore = sizes.slice(0, i).reduce((sum, each) => sum + each, 0)
        reading = share === undefined ? () => stream.bytesRead : () => share() * size
        return {
          ...opened,
          async close() {
            await opened.close()
            stream.destroy()
            bytesBefore += size
            reading = undefined
          },
        }
      },
    }
  })
  return {
    files,
    passedOver: names?.filter((entry) => !taken?.includes(entry)).map(({ name }) => name) ?? [],
    totalBytes: sizes.reduce((sum, size) => sum + size, 0),
    bytesRead: () => bytesBefore + (reading?.() ?? 0),
    identity: hash.digest('hex'),
  }
}

function byName({ name: a }: { readonly name: string }, { name: b }: { readonly name: string }): number {
  return a < b ? -1 : 1
}

/** Adds what identifies a file to a hash; returns its size. */
async function lookAt(path: string, hash: Hash): Promise<number> {
  await access(path, constants.R_OK)
  const handle = await open(path)
  try {
    const { size, mtimeMs } = await handle.stat()
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    hash.update(`${path}\0${size}\0${mtimeMs}\0`).update(buffer.subarray(0, bytesRead))
    return size
  } catch (error) {
    throw Object.assign(error as object, { path })
  } finally {
    await handle.close()
  }
}

type PipeStream = NodeJS.ReadableStream & { destroy(): unknown }

function piped(name: string | undefined, connect: () => PipeStream, signal: AbortSignal): ImportFile {
  return {
    name,
    open: async () => decompressed({ name, path: undefined, chunks: read(connect(), signal) }),
  }
}

async function* read(input: PipeStream, signal: AbortSignal): AsyncGenerator<Buffer> {
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
