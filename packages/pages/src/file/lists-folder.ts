import { LapidaryError } from 'lapidary'
import { discardFolder } from './discard.ts'
import type { ChangingLists, DiskListsView } from './disk-list.ts'
import { openWriter, REAL_PARTS, type StoreParts } from './disk-lists.ts'
import type { DiskListsReader, ListPiece } from './lists-reader.ts'
import { diskError } from './log-writer.ts'
import type { DiskLists, DiskListsOptions } from './options.ts'
import { openReader, type ReadOnlyDiskLists } from './read-lists.ts'

/** A folder of lists that is opened when it is first needed: to read until something is written, from then on to write. */
export class ListsFolder {
  readonly #options: DiskListsOptions
  readonly #parts: StoreParts
  #reader: ReadOnlyDiskLists | undefined
  #writer: Promise<DiskLists> | undefined
  /** The last mending or closing: the next one waits for it. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(options: DiskListsOptions, parts: StoreParts = REAL_PARTS) {
    this.#options = options
    this.#parts = parts
  }

  /**
   * Reads in one turn of the event loop; undefined where nothing was written yet.
   *
   * @throws `page_index_damaged`, `unavailable`.
   */
  read<T>(ask: (lists: DiskListsView) => T): Promise<T | undefined> {
    return this.#ask((lists) => ask(lists.view()))
  }

  /** As {@link read}, of everything that a writer has written by now. */
  readLatest<T>(ask: (lists: DiskListsView) => T): Promise<T | undefined> {
    // A reader that has been open goes by what it saw a moment ago.
    return this.#ask((lists) => ask(lists.view()), { refreshes: true })
  }

  /** A piece of the names of all lists. */
  async names(limit: number, from: number): Promise<ListPiece> {
    return (await this.#ask((lists) => lists.lists(limit, from))) ?? { items: [], next: undefined }
  }

  async #ask<T>(ask: (lists: DiskListsReader) => T, { refreshes = false } = {}): Promise<T | undefined> {
    const writer = await this.#writer?.catch(() => undefined)
    for (let tries = 1; ; tries++) {
      try {
        if (refreshes && writer === undefined) this.#reader?.refresh()
        const lists = writer ?? this.#read()
        return lists === undefined ? undefined : ask(lists)
      } catch (error) {
        const mayBeGone = tries === 1 && writer === undefined && !(error instanceof LapidaryError)
        if (!mayBeGone) throw await this.#failure(error)
        // The writer has removed a file that was open here, which a network file system does not keep.
        this.#reader?.close()
        this.#reader = undefined
      }
    }
  }

  /**
   * Makes changes in one turn of the event loop, which are on the disk together when it resolves. Where a damaged block stops it in
   * the middle, a beginning of them may be there: to make all of them again comes to the same.
   *
   * @throws `page_index_locked`, `page_index_damaged`, `unavailable`.
   */
  async write<T>(make: (lists: ChangingLists) => T): Promise<T> {
    try {
      const writer = await this.#write()
      const result = make({
        list: (name) => writer.view().list(name),
        change: (change) => void writer.change([change]),
      })
      await writer.durable()
      return result
    } catch (error) {
      throw await this.#failure(error)
    }
  }

  /** Merges the log into the base file. What can't be merged now stays in the log, and is merged later. */
  async commit(): Promise<void> {
    await (await this.#write()).commit().catch(() => {})
  }

  /** Reads everything, and removes it when it is damaged. */
  mend(): Promise<void> {
    return this.#inTurn(async () => {
      try {
        const { problems } = await (await this.#write()).validate()
        if (problems.length === 0) return
      } catch (error) {
        if (!isDamage(error)) throw await this.#failure(error)
      }
      await this.#letGo()
      discardFolder(this.#options.folder, this.#parts)
    })
  }

  /** Names what is wrong with the files. */
  async problems(): Promise<readonly string[]> {
    return (await (await this.#write()).validate()).problems
  }

  /** Writes what waits, and lets go of the folder until it is needed again. */
  close(): Promise<void> {
    return this.#inTurn(() => this.#letGo())
  }

  #read(): ReadOnlyDiskLists | undefined {
    try {
      const { folder, cacheBytes } = this.#options
      this.#reader ??= openReader({ folder, ...(cacheBytes === undefined ? {} : { cacheBytes }) }, this.#parts.disk)
      return this.#reader
    } catch (error) {
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
      if (isMissing || (error instanceof LapidaryError && error.code === 'not_found')) return undefined
      throw error
    }
  }

  #write(): Promise<DiskLists> {
    this.#writer ??= openWriter(this.#options, this.#parts).then(
      (writer) => {
        this.#reader?.close()
        this.#reader = undefined
        return writer
      },
      (error: unknown) => {
        this.#writer = undefined
        throw error
      },
    )
    return this.#writer
  }

  async #letGo(): Promise<void> {
    const writer = this.#writer
    this.#writer = undefined
    this.#reader?.close()
    this.#reader = undefined
    await (await writer?.catch(() => undefined))?.close().catch((error: unknown) => {
      if (!isDamage(error)) throw diskError(this.#options.folder, error)
    })
  }

  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(run, run)
    this.#turn = turn.catch(() => {})
    return turn
  }

  /** Lets go of a damaged folder, so that another process can build it anew. */
  async #failure(error: unknown): Promise<LapidaryError> {
    const isLost = error instanceof LapidaryError && error.code === 'page_index_locked'
    if (isDamage(error) || isLost) await this.#letGo().catch(() => {})
    return diskError(this.#options.folder, error)
  }
}

function isDamage(error: unknown): boolean {
  return error instanceof LapidaryError && error.code === 'page_index_damaged'
}
