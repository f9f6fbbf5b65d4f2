import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { pipeline as piped } from 'node:stream/promises'
import { crc32, createGunzip } from 'node:zlib'
import { LapidaryError } from 'lapidary'
import type { Entry, ZipFile } from 'yauzl'
import type { OpenFile } from './import-files.ts'
import { peeked } from './peeked.ts'

/** Bytes that may be compressed. */
export interface RawFile {
  readonly name: string | undefined
  /** The file on the disk; undefined where the bytes come from a pipe. */
  readonly path: string | undefined
  readonly chunks: AsyncIterable<Buffer>
}

const CHUNK_BYTES = 256 * 1024
const GZIP = Buffer.from([0x1f, 0x8b])
/** With which a zip file begins that has a file, and one that has none. */
const ZIP = [Buffer.from('PK\u0003\u0004'), Buffer.from('PK\u0005\u0006')]

/**
 * Opens what is in a gzip file or in a zip file of one file, known by their first bytes; other bytes are as they are.
 *
 * @throws {LapidaryError} `bad_request` for a zip file that is broken or holds several files.
 */
export async function decompressed({ name, path, chunks }: RawFile): Promise<OpenFile> {
  const { head, chunks: all } = await peeked(chunks, 4)
  const shown = name ?? 'standard input'
  if (head.subarray(0, 2).equals(GZIP))
    return { name: name?.replace(/\.gz$/i, ''), chunks: unzipped(shown, all), close: async () => {} }
  if (!ZIP.some((magic) => head.equals(magic))) return { name, chunks: all, close: async () => {} }
  if (path !== undefined) {
    await (all as AsyncGenerator<Buffer>).return(undefined)
    return openZip(shown, path)
  }
  // The list of what is in a zip file is at its end.
  const folder = await mkdtemp(join(tmpdir(), 'lapidary-zip-'))
  const clear = (): Promise<void> => rm(folder, { recursive: true, force: true })
  try {
    const copy = join(folder, 'piped.zip')
    await piped(Readable.from(all, { objectMode: false }), createWriteStream(copy))
    const opened = await openZip(shown, copy)
    return { ...opened, close: () => opened.close().finally(clear) }
  } catch (error) {
    await clear()
    throw error
  }
}

async function* unzipped(name: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES })
  pipeline(Readable.from(chunks, { objectMode: false }), gunzip, () => {})
  try {
    yield* gunzip
  } catch (error) {
    throw broken(name, error)
  }
}

function broken(name: string, error: unknown): unknown {
  // What the disk says has a path, and is told as it is.
  if (error instanceof LapidaryError || (error as NodeJS.ErrnoException).path !== undefined) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new LapidaryError('bad_request', `${name} can't be decompressed (${reason}); is it complete?`, {
    cause: error,
  })
}

async function openZip(name: string, path: string): Promise<OpenFile> {
  const zip = await openArchive(path).catch((error: unknown) => {
    throw broken(name, error)
  })
  try {
    const entries = await entriesOf(zip)
    const [entry, ...more] = entries
    if (entries.some(({ fileName }) => fileName === 'xl/workbook.xml'))
      throw new LapidaryError('bad_request', `${name} is an Excel workbook; save it as CSV, and import that`)
    if (entry === undefined || more.length > 0) {
      const names = entries.map(({ fileName }) => fileName).slice(0, 5)
      const holds = entry === undefined ? 'no file' : `${entries.length} files (${names.join(', ')})`
      throw new LapidaryError('bad_request', `${name} holds ${holds}; a zip file of one file can be imported`)
    }
    if (entry.isEncrypted()) throw new LapidaryError('bad_request', `${name} is encrypted; give it without a password`)
    const stream = await new Promise<Readable>((done, fail) => {
      zip.openReadStream(entry, (error, opened) => (error === null ? done(opened) : fail(error)))
    })
    let bytes = 0
    const chunks = checked(name, stream, entry.crc32, (chunk) => {
      bytes += chunk.length
    })
    const share = (): number => bytes / Math.max(1, entry.uncompressedSize)
    return { name: entry.fileName, chunks, share, close: async () => zip.close() }
  } catch (error) {
    zip.close()
    throw broken(name, error)
  }
}

/** The package is loaded by who has a zip file. */
async function openArchive(path: string): Promise<ZipFile> {
  const { default: yauzl } = await import('yauzl')
  return new Promise((done, fail) => {
    yauzl.open(path, { lazyEntries: true, autoClose: false }, (error, zip) =>
      error === null ? done(zip) : fail(error),
    )
  })
}

/** Without folders, and without what macOS adds of its own. */
function entriesOf(zip: ZipFile): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  return new Promise((done, fail) => {
    zip
      .on('entry', (entry: Entry) => {
        if (!/\/$|^__MACOSX\//.test(entry.fileName)) entries.push(entry)
        zip.readEntry()
      })
      .on('end', () => done(entries))
      .on('error', fail)
      .readEntry()
  })
}

/** The checksum is looked at by who reads the file. */
async function* checked(
  name: string,
  stream: Readable,
  checksum: number,
  onChunk: (chunk: Buffer) => void,
): AsyncGenerator<Buffer> {
  let sum = 0
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      sum = crc32(chunk, sum)
      onChunk(chunk)
      yield chunk
    }
    if (sum !== checksum) throw new Error('its checksum is another')
  } catch (error) {
    throw broken(name, error)
  }
}
