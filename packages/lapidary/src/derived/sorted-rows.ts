import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LapidaryError } from '../model/errors.ts'

/** A row is sorted by its key; its value goes along. */
export type Row = readonly [key: string, value: string]

/** Two texts, each after its length. */
const LENGTH_BYTES = 4
const READ_BYTES = 256 * 1024
const MOST_CHARACTERS = 32 * 2 ** 20
/** A row in memory takes so much beside its texts. */
const ROW_CHARACTERS = 64

/**
 * Sorts rows by the bytes of their keys: up to a number of characters in memory, beyond that in runs on disk that are merged. What it holds does
 * not grow with the rows.
 */
export class SortedRows implements AsyncDisposable {
  readonly #most: number
  readonly #folder: string
  readonly #runs: FileHandle[] = []
  #rows: Row[] = []
  #characters = 0
  #made: string | undefined

  /**
   * @param most Characters that are held in memory.
   * @param folder Where a folder for runs is made; that of the system when not given.
   */
  constructor(most: number = MOST_CHARACTERS, folder: string = tmpdir()) {
    this.#most = most
    this.#folder = folder
  }

  add(key: string, value: string): void {
    // Texts of one byte a character are compared as bytes are.
    this.#rows.push([bytewise(key), value])
    this.#characters += key.length + value.length + ROW_CHARACTERS
  }

  /** Makes room in memory, where too much is held. */
  async settle(): Promise<void> {
    if (this.#characters > this.#most) await this.#spill()
  }

  /** All rows in order, so many at a time. They are given once. */
  async *inOrder(size: number): AsyncGenerator<readonly Row[]> {
    const held = this.#take()
    let part: Row[] = []
    for await (const [key, value] of this.#runs.length === 0
      ? held
      : merged([...this.#runs.map(readRun), each(held)])) {
      part.push([Buffer.from(key, 'latin1').toString(), value])
      if (part.length < size) continue
      yield part
      part = []
    }
    if (part.length > 0) yield part
  }

  /** Removes the runs. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#runs.splice(0).map((run) => run.close()))
    if (this.#made !== undefined) await rm(this.#made, { recursive: true, force: true })
  }

  #take(): readonly Row[] {
    const rows = this.#rows.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    this.#rows = []
    this.#characters = 0
    return rows
  }

  async #spill(): Promise<void> {
    try {
      this.#made ??= await mkdtemp(join(this.#folder, 'lapidary-sorted-'))
      const run = await open(join(this.#made, String(this.#runs.length)), 'w+')
      this.#runs.push(run)
      const rows = this.#take()
      for (let written = 0; written < rows.length; written += 1_000) {
        await run.appendFile(
          Buffer.concat(
            rows.slice(written, written + 1_000).flatMap(([key, value]) => [sized(key, 'latin1'), sized(value)]),
          ),
        )
      }
    } catch (cause) {
      const message = `${this.#folder} can't take what is sorted: ${String(cause)}; set TMPDIR to a folder with room`
      throw new LapidaryError('unavailable', message, { cause })
    }
  }
}

function bytewise(text: string): string {
  return Buffer.from(text).toString('latin1')
}

function sized(text: string, encoding: BufferEncoding = 'utf8'): Buffer {
  const bytes = Buffer.from(text, encoding)
  const sized = Buffer.allocUnsafe(LENGTH_BYTES + bytes.length)
  sized.writeUInt32BE(bytes.length)
  bytes.copy(sized, LENGTH_BYTES)
  return sized
}

async function* each(rows: readonly Row[]): AsyncGenerator<Row> {
  yield* rows
}

async function* readRun(run: FileHandle): AsyncGenerator<Row> {
  let [held, at, position] = [Buffer.alloc(0), 0, 0]
  /** The next text; undefined at the end. */
  const next = async (encoding: BufferEncoding): Promise<string | undefined> => {
    const bytes = (await take(LENGTH_BYTES))?.readUInt32BE()
    return bytes === undefined ? undefined : (await take(bytes))?.toString(encoding)
  }
  const take = async (bytes: number): Promise<Buffer | undefined> => {
    while (held.length - at < bytes) {
      const { bytesRead, buffer } = await run.read(Buffer.alloc(READ_BYTES), 0, READ_BYTES, position)
      if (bytesRead === 0) return undefined
      held = Buffer.concat([held.subarray(at), buffer.subarray(0, bytesRead)])
      ;[at, position] = [0, position + bytesRead]
    }
    at += bytes
    return held.subarray(at - bytes, at)
  }
  for (let key = await next('latin1'); key !== undefined; key = await next('latin1'))
    yield [key, (await next('utf8')) ?? '']
}

/** Merges sorted rows. Runs are kept in the order of their next rows, so the first of them has the next of all. */
async function* merged(runs: readonly AsyncGenerator<Row>[]): AsyncGenerator<Row> {
  const heads: { readonly run: AsyncGenerator<Row>; readonly row: Row }[] = []
  const enter = async (run: AsyncGenerator<Row>): Promise<void> => {
    const { value: row, done } = await run.next()
    if (done === true) return
    let [low, high] = [0, heads.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((heads[middle]?.row[0] ?? '') < row[0]) low = middle + 1
      else high = middle
    }
    heads.splice(low, 0, { run, row })
  }
  for (const run of runs) await enter(run)
  for (let head = heads.shift(); head !== undefined; head = heads.shift()) {
    yield head.row
    await enter(head.run)
  }
}
