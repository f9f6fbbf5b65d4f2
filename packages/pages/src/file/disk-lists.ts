import type { LapidaryError } from 'lapidary'
import { BaseFile } from './base-file.ts'
import { type DiskChange, requireChange } from './change.ts'
import { type Disk, type DiskFile, realDisk } from './disk.ts'
import { basePath, filesIn, logPath } from './folder-files.ts'
import type { Layers } from './layers.ts'
import { LayersReader } from './lists-reader.ts'
import { diskError, isFull, LogWriter } from './log-writer.ts'
import { mergeInto } from './merge.ts'
import { continueLog, createBase, createLog, draftLog, endLog, type OpenLog, publishBase } from './new-files.ts'
import { FIRST, openFolder } from './open-folder.ts'
import { closedError, type DiskLists, type DiskListsOptions } from './options.ts'
import type { Validation } from './validate.ts'
import { lockFolder, type WriterLock } from './writer-lock.ts'

const DEFAULTS = { durability: 'always', commitBytes: 8 * 2 ** 20, commitMs: 600_000, cacheBytes: 8 * 2 ** 20 } as const
const MEMBER_BYTES = 19
const RETRY_MS = 10_000

/** The parts of a store that its user does not choose. */
export interface StoreParts {
  readonly disk: Disk
  readonly lock: (folder: string) => WriterLock
}

export const REAL_PARTS: StoreParts = { disk: realDisk, lock: lockFolder }

type Settings = Required<Omit<DiskListsOptions, 'memberBytes'>>

/**
 * Opens a folder for writing. What is there is read without a byte being written, so that a full disk can be read.
 *
 * @throws `page_index_locked`, `page_index_damaged`, `unavailable`.
 */
export async function openWriter(options: DiskListsOptions, parts: StoreParts = REAL_PARTS): Promise<DiskLists> {
  try {
    return await open(options, parts)
  } catch (error) {
    throw typeof (error as NodeJS.ErrnoException).code === 'string' ? diskError(options.folder, error) : error
  }
}

async function open(options: DiskListsOptions, { disk, lock }: StoreParts): Promise<DiskLists> {
  const settings: Settings = { onError: () => {}, ...DEFAULTS, ...options }
  const { folder, cacheBytes, durability } = settings
  disk.makeFolder(folder)
  const held = lock(folder)
  try {
    const isSynced = durability === 'always'
    let opened = openFolder(disk, folder, cacheBytes)
    if (opened === undefined) {
      await createBase(disk, folder, FIRST, (options.memberBytes ?? MEMBER_BYTES) + 1)
      opened = openFolder(disk, folder, cacheBytes)
    }
    if (opened === undefined) throw new Error(`${folder} has lost its base file`)
    const { layers, files, read } = opened
    for (const draft of files.drafts) disk.remove(draft)
    let number = opened.last
    let log = read === undefined ? undefined : continueLog(disk, folder, number, read)
    if (log !== undefined && log.header.isSynced !== isSynced) {
      log.file.close()
      log = undefined
      number++
    }
    log ??= await createLog(disk, folder, number, isSynced)
    const lists = new Writer({ settings, disk, lock: held, layers, log, number, tornBytes: read?.tornBytes ?? 0 })
    lists.begin()
    return lists
  } catch (error) {
    held.release()
    throw error
  }
}

interface WriterParts {
  readonly settings: Settings
  readonly disk: Disk
  readonly lock: WriterLock
  readonly layers: Layers
  readonly log: OpenLog
  readonly number: number
  readonly tornBytes: number
}

class Writer extends LayersReader implements DiskLists {
  readonly tornBytes: number
  readonly #settings: Settings
  readonly #disk: Disk
  readonly #lock: WriterLock
  readonly #layers: Layers
  readonly #timer: NodeJS.Timeout
  #log: OpenLog
  #writer: LogWriter
  /** The number of the log that is written to. */
  #number: number
  #committing: Promise<void> | undefined
  /** The commit that changes wait for. */
  #held: Promise<void> | undefined
  #validating: Promise<unknown> | undefined
  /** When a commit that failed is tried again. */
  #notBefore = 0
  #isClosed = false

  constructor({ settings, disk, lock, layers, log, number, tornBytes }: WriterParts) {
    super(
      () => this.#open(),
      () => this.#writer.bytes,
    )
    this.tornBytes = tornBytes
    this.#settings = settings
    this.#disk = disk
    this.#lock = lock
    this.#layers = layers
    this.#log = log
    this.#number = number
    this.#writer = this.#newWriter(log)
    this.#timer = setInterval(() => this.#commitWhenDue(true), settings.commitMs).unref()
  }

  change(changes: readonly DiskChange[]): number {
    const layers = this.#open()
    for (const change of changes) requireChange(change)
    const made: { readonly change: DiskChange; readonly undo: () => void }[] = []
    try {
      for (const change of changes) {
        const undo = layers.apply(change)
        if (undo !== undefined) made.push({ change, undo })
      }
    } catch (error) {
      for (const { undo } of made.reverse()) undo()
      throw error
    }
    for (const { change, undo } of made) this.#writer.add(change, undo)
    if (made.length > 0) this.#commitWhenDue(false)
    return made.length
  }

  get unsyncedBytes(): number {
    return this.#writer.waitingBytes
  }

  durable(): Promise<void> | undefined {
    return this.#writer.durable()
  }

  async apply(changes: readonly DiskChange[]): Promise<number> {
    const made = this.change(changes)
    await this.durable()
    return made
  }

  commit(): Promise<void> {
    this.#open()
    this.#committing ??= this.#commit().finally(() => {
      this.#committing = undefined
    })
    return this.#committing
  }

  override async validate(): Promise<Validation> {
    // A commit would take the base file away meanwhile.
    while (this.#committing !== undefined) await this.#committing.catch(() => {})
    const validating = super.validate()
    this.#validating = validating
    return await validating
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    clearInterval(this.#timer)
    try {
      // It is given up: its changes are in logs, and are merged another time. A process that ends has no time for that.
      await this.#committing?.catch(() => {})
      await this.#validating?.catch(() => {})
      await this.#writer.finish(() => this.#endLog())
    } finally {
      this.#log.file.close()
      this.#layers.base.close()
      this.#lock.release()
    }
  }

  /** Marks the end of the log, for which a full disk may have no room: nothing that was acknowledged depends on it. */
  #endLog(): void {
    try {
      endLog({ ...this.#log, end: this.#writer.end })
    } catch (error) {
      if (!isFull(error)) throw diskError(logPath(this.#settings.folder, this.#number), error)
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Takes up the work that a writer before this one has left. */
  begin(): void {
    this.#removeMerged()
    this.#commitWhenDue(false)
  }

  /** Removes what the base file has: files before it. */
  #removeMerged(): void {
    const { folder } = this.#settings
    const { generation } = this.#layers.base.header
    const { bases, logs } = filesIn(this.#disk, folder)
    for (const number of bases) if (number < generation) this.#disk.remove(basePath(folder, number))
    for (const number of logs) if (number < generation) this.#disk.remove(logPath(folder, number))
  }

  #open(): Layers {
    if (this.#isClosed) throw closedError(this.#settings.folder)
    return this.#layers
  }

  #newWriter({ file, header, end }: OpenLog, publish?: () => void): LogWriter {
    const { folder, durability, onError } = this.#settings
    const name = logPath(folder, this.#number)
    return new LogWriter({ name, file, header, end, publish, durability, onError, confirm: () => this.#lock.confirm() })
  }

  #commitWhenDue(byTime: boolean): void {
    const { commitBytes, onError } = this.#settings
    const { bytes } = this.#writer
    if (this.#committing !== undefined) {
      // Changes come faster than they are merged: they wait, so that memory stays bounded.
      if (bytes > 2 * commitBytes && this.#held !== this.#committing) {
        this.#held = this.#committing
        void this.#writer.holdUntil(this.#committing)
      }
      return
    }
    if (!byTime && (bytes < commitBytes || performance.now() < this.#notBefore)) return
    this.commit().catch((error: LapidaryError) => {
      this.#notBefore = performance.now() + RETRY_MS
      if (!this.#isClosed) onError(error)
    })
  }

  async #commit(): Promise<void> {
    const { folder, durability, cacheBytes } = this.#settings
    try {
      await this.#validating?.catch(() => {})
      if (this.#layers.merging === undefined) {
        if (this.#layers.live.lists.size === 0) return
        const next = this.#number + 1
        const log = await draftLog(this.#disk, folder, next, durability === 'always')
        const before = this.#log
        try {
          await this.#writer.finish(() => {
            this.#layers.freeze()
            this.#log = log
            this.#number = next
            this.#writer = this.#newWriter(log, log.publish)
          })
        } catch (error) {
          log.discard()
          throw error
        }
        before.file.close()
      }
      this.#writer.publish()
      const { base, merging } = this.#layers
      if (merging === undefined) return
      const number = this.#number
      const write = (file: DiskFile): Promise<void> =>
        mergeInto(this.#givenUpOnClose(file), number, base, merging.lists)
      await publishBase(this.#disk, folder, number, write, () => this.#lock.confirm())
      const merged = BaseFile.open(this.#disk, basePath(folder, number), number, cacheBytes)
      this.#layers.swap(merged).close()
      this.#removeMerged()
    } catch (error) {
      throw diskError(folder, error)
    }
  }

  /** A file that takes nothing more once this is closed. */
  #givenUpOnClose(file: DiskFile): DiskFile {
    return {
      ...file,
      writeLater: async (...which) => {
        this.#open()
        await file.writeLater(...which)
      },
    }
  }
}
