import { LapidaryError } from 'lapidary'
import { ChangeBuffer, type DiskChange } from './change.ts'
import type { DiskFile } from './disk.ts'
import { FRAME_BYTES, type LogHeader, type LogPlace, sealFrame } from './log-format.ts'

/** When changes are on the disk: before they are acknowledged, or at most so many milliseconds after that. */
export type Durability = 'always' | { readonly everyMs: number }

/** Changes that share one frame and one sync. */
interface Batch {
  readonly changes: ChangeBuffer
  /** Each takes one of them back, in the order in which they were made. */
  readonly undo: (() => void)[]
  readonly done: Promise<void>
  readonly finish: (error?: LapidaryError) => void
}

/** The options of a log's writer. */
export interface LogWriterOptions {
  readonly name: string
  readonly file: DiskFile
  readonly header: LogHeader
  /** Behind the last frame, where the file ends. */
  readonly end: LogPlace
  readonly durability: Durability
  /** Called before the first write, and again when it threw. */
  readonly publish?: (() => void) | undefined
  /** Called between a sync and the acknowledgement; throws when another writer has taken over. */
  readonly confirm: () => void
  /** Called when changes that were acknowledged earlier could not be synced. */
  readonly onError: (error: LapidaryError) => void
}

const QUICK_SYNC_MS = 0.25
const FEW_CHANGES = 64

/**
 * Appends changes to a log. All that come while a sync is under way go into the next one together. When the disk refuses a batch, it and
 * later changes are taken back, so that memory has what the disk has; the next change is tried anew.
 */
export class LogWriter {
  readonly #options: LogWriterOptions
  #end: LogPlace
  #pending: Batch | undefined
  #writing: Batch | undefined
  #isPublished = false
  /** Whether the file has bytes behind its end, of a batch that failed. */
  #hasRemains = false
  #holds = 0
  /** Whether the last sync took no longer than {@link QUICK_SYNC_MS}. */
  #isQuick = false
  #timer: NodeJS.Timeout | undefined

  constructor(options: LogWriterOptions) {
    this.#options = options
    this.#end = options.end
  }

  /** Bytes of the log, without what waits. */
  get bytes(): number {
    return this.#end.offset
  }

  /** Bytes of what waits. */
  get waitingBytes(): number {
    return (this.#writing?.changes.length ?? 0) + (this.#pending?.changes.length ?? 0)
  }

  /** Behind the last frame that is written. */
  get end(): LogPlace {
    return this.#end
  }

  /** Takes a change, and what takes it back. */
  add(change: DiskChange, undo: () => void): void {
    this.#pending ??= this.#newBatch()
    this.#pending.changes.add(change)
    this.#pending.undo.push(undo)
  }

  /** Resolves when every change so far is as durable as was asked for; undefined when that is now. */
  durable(): Promise<void> | undefined {
    return (this.#pending ?? this.#writing)?.done
  }

  /** Sees to it that the log has its name. */
  publish(): void {
    if (!this.#isPublished) this.#options.publish?.()
    this.#isPublished = true
  }

  /** Begins no batch until the promise has resolved or failed. */
  async holdUntil(promise: Promise<unknown>): Promise<void> {
    this.#holds++
    await promise.catch(() => {})
    this.#holds--
    this.#start()
  }

  /** Puts everything on the disk, and in the same turn of the event loop calls a function; nothing is added between the two. */
  async finish(then: () => void): Promise<void> {
    this.#holds++
    try {
      await this.#writing?.done.catch(() => {})
      const batch = this.#pending
      this.#pending = undefined
      this.#writing = batch
      try {
        const end = this.#write(batch)
        this.#options.file.sync()
        this.#options.confirm()
        this.#finish(end)
      } catch (error) {
        this.#fail(error)
        throw error
      }
      clearTimeout(this.#timer)
      then()
    } finally {
      this.#holds--
      this.#start()
    }
  }

  #newBatch(): Batch {
    let finish: Batch['finish'] = () => {}
    const done = new Promise<void>((resolve, reject) => {
      finish = (error) => (error === undefined ? resolve() : reject(error))
    })
    // A caller that waits has the error; a batch without one must not end the process.
    done.catch(() => {})
    // After what this turn of the event loop still brings: it shares the sync.
    setImmediate(() => this.#start())
    return { changes: new ChangeBuffer(FRAME_BYTES), undo: [], done, finish }
  }

  #start(): void {
    if (this.#writing !== undefined || this.#pending === undefined || this.#holds > 0) return
    this.#writing = this.#pending
    this.#pending = undefined
    void this.#run(this.#writing)
  }

  async #run(batch: Batch): Promise<void> {
    try {
      const end = this.#write(batch)
      if (this.#options.durability === 'always') await this.#sync(batch)
      else this.#syncSoon(this.#options.durability.everyMs)
      this.#options.confirm()
      this.#finish(end)
    } catch (error) {
      this.#fail(error)
    }
    this.#start()
  }

  /**
   * To hand a sync to another thread takes longer than a quick disk does. A slow one would hold up all that reads, and while a large batch
   * is synced the next one comes.
   */
  async #sync({ undo: changes }: Batch): Promise<void> {
    const began = performance.now()
    if (this.#isQuick && changes.length <= FEW_CHANGES) this.#options.file.sync()
    else await this.#options.file.syncLater()
    this.#isQuick = performance.now() - began < QUICK_SYNC_MS
  }

  /** Returns the log's end behind the batch. */
  #write(batch: Batch | undefined): LogPlace {
    const { file, header } = this.#options
    const { offset, previous } = this.#end
    this.publish()
    this.#cutRemains()
    if (batch === undefined) return this.#end
    const frame = batch.changes.bytes()
    const checksum = sealFrame(frame, header, previous)
    file.write(frame, 0, frame.length, offset)
    return { offset: offset + frame.length, previous: checksum }
  }

  #finish(end: LogPlace): void {
    this.#end = end
    this.#writing?.finish()
    this.#writing = undefined
  }

  /** Takes back what is not on the disk. */
  #fail(cause: unknown): void {
    const batches = [this.#pending, this.#writing].filter((batch) => batch !== undefined)
    this.#pending = undefined
    this.#writing = undefined
    for (const { undo } of batches) for (const back of undo.reverse()) back()
    this.#hasRemains = true
    try {
      this.#cutRemains()
    } catch {
      // Before the next write, then.
    }
    const error = diskError(this.#options.name, cause)
    for (const { finish } of batches) finish(error)
  }

  #cutRemains(): void {
    if (!this.#hasRemains) return
    this.#options.file.truncate(this.#end.offset)
    this.#hasRemains = false
  }

  #syncSoon(everyMs: number): void {
    this.#timer ??= setTimeout(async () => {
      this.#timer = undefined
      try {
        await this.#options.file.syncLater()
      } catch (error) {
        this.#options.onError(diskError(this.#options.name, error))
      }
    }, everyMs)
  }
}

const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

export function isFull(error: unknown): boolean {
  return FULL.has((error as NodeJS.ErrnoException).code)
}

/** Makes an error of the library from one of the disk. */
export function diskError(file: string, cause: unknown): LapidaryError {
  if (cause instanceof LapidaryError) return cause
  const { code } = cause as NodeJS.ErrnoException
  const what = isFull(cause)
    ? 'its disk is full; free some space, then try again'
    : `${cause instanceof Error ? cause.message : String(cause)}; try again`
  return new LapidaryError('unavailable', `the page index can't use ${file}: ${what}`, {
    details: { file, ...(code === undefined ? {} : { reason: code }) },
    cause,
  })
}
