import { LapidaryError } from 'lapidary'
import { type Disk, type DiskFile, realDisk } from './disk.ts'
import { filesIn, logPath } from './folder-files.ts'
import type { Layers } from './layers.ts'
import { type DiskListsReader, LayersReader } from './lists-reader.ts'
import { firstPlace, type LogHeader, type LogPlace } from './log-format.ts'
import { readLog, readLogHeader } from './log-reader.ts'
import { openFolder } from './open-folder.ts'
import { closedError } from './options.ts'

/** The options of `readDiskLists`. */
export interface ReadDiskListsOptions {
  /** Another process may write to it. */
  readonly folder: string
  /** Milliseconds for which a read may go by what the one before it saw; 100 when not given. */
  readonly refreshMs?: number
  /** Memory for blocks of the base file; 8 MiB when not given. */
  readonly cacheBytes?: number
}

/** Sorted lists on disk, open for reading. */
export interface ReadOnlyDiskLists extends DiskListsReader, Disposable {
  /** Takes up what the writer has written, without waiting for `refreshMs`. */
  refresh(): void
  close(): void
}

/** Files come and go while a folder is opened; more often than this in a row they do not. */
const TRIES = 20

interface View {
  readonly layers: Layers
  /** The last log, and how far it was read. */
  number: number
  file: DiskFile | undefined
  header: LogHeader | undefined
  place: LogPlace
  /** The size of a log that has bytes of no whole frame behind its end. */
  tornSize: number
}

/** Opens a folder for reading. */
export function openReader(
  { folder, refreshMs = 100, cacheBytes = 8 * 2 ** 20 }: ReadDiskListsOptions,
  disk: Disk = realDisk,
): ReadOnlyDiskLists {
  return new Reader(disk, folder, refreshMs, cacheBytes)
}

class Reader extends LayersReader implements ReadOnlyDiskLists {
  readonly #disk: Disk
  readonly #folder: string
  readonly #refreshMs: number
  readonly #cacheBytes: number
  #view: View | undefined
  #freshUntil = 0
  #isClosed = false

  constructor(disk: Disk, folder: string, refreshMs: number, cacheBytes: number) {
    super(
      () => this.#current(),
      () => this.#view?.place.offset ?? 0,
    )
    this.#disk = disk
    this.#folder = folder
    this.#refreshMs = refreshMs
    this.#cacheBytes = cacheBytes
    this.refresh()
  }

  refresh(): void {
    if (this.#isClosed) throw closedError(this.#folder)
    if (this.#view === undefined || !this.#follow(this.#view)) this.#view = this.#reopen()
    this.#freshUntil = performance.now() + this.#refreshMs
  }

  close(): void {
    this.#isClosed = true
    this.#letGo()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #current(): Layers {
    if (this.#isClosed || performance.now() >= this.#freshUntil) this.refresh()
    if (this.#view === undefined) throw closedError(this.#folder)
    return this.#view.layers
  }

  /** Applies what was added to the logs; false when the folder is to be opened anew. */
  #follow(view: View): boolean {
    const { bases, logs } = filesIn(this.#disk, this.#folder)
    if (bases.at(-1) !== view.layers.base.header.generation) return false
    for (;;) {
      if (!this.#followLog(view)) return false
      if (!logs.includes(view.number + 1)) return true
      view.file?.close()
      view.number++
      view.file = undefined
      view.header = undefined
    }
  }

  #followLog(view: View): boolean {
    const path = logPath(this.#folder, view.number)
    try {
      view.file ??= this.#disk.open(path, 'read')
      if (view.header === undefined) {
        view.header = readLogHeader(path, view.file)
        if (view.header === undefined) return true
        view.place = firstPlace(view.header)
      }
      if (view.file.size() < view.place.offset) return false
      const read = readLog(path, view.file, view.header, view.place, (change) => void view.layers.apply(change))
      view.place = read.end
      if (read.isRewritten) return false
      // A frame that is being written, or the writer has taken back what was read before and has written something else there.
      const size = read.end.offset + read.tornBytes
      if (read.tornBytes > 0 && size !== view.tornSize) return false
      return true
    } catch (error) {
      // Damage here may be what stands at a place that the writer has gone back from: all of it tells.
      if (isGone(error) || (error instanceof LapidaryError && error.code === 'page_index_damaged')) return false
      throw error
    }
  }

  #reopen(): View {
    this.#letGo()
    for (let tries = 1; ; tries++) {
      try {
        const opened = openFolder(this.#disk, this.#folder, this.#cacheBytes)
        if (opened === undefined) throw missing(this.#folder)
        const { layers, last, read } = opened
        return {
          layers,
          number: last,
          file: undefined,
          header: read?.header,
          place: read?.end ?? { offset: 0, previous: 0 },
          tornSize: read === undefined ? 0 : read.end.offset + read.tornBytes,
        }
      } catch (error) {
        // The writer removed a file between two looks; what it put in its place is there.
        if (tries < TRIES) continue
        throw isGone(error) ? missing(this.#folder) : error
      }
    }
  }

  #letGo(): void {
    this.#view?.file?.close()
    this.#view?.layers.base.close()
    this.#view = undefined
  }
}

function missing(folder: string): LapidaryError {
  return new LapidaryError('not_found', `there is no page index in ${folder}: a writer makes it`)
}

function isGone(error: unknown): boolean {
  return ['ENOENT', 'ESTALE'].includes((error as NodeJS.ErrnoException).code ?? '')
}
