import { randomUUID } from 'node:crypto'
import { LapidaryError } from 'lapidary'
import type { ByteString } from '../file/byte-string.ts'
import type { ChangingLists, DiskListsView } from '../file/disk-list.ts'
import type { Layers } from '../file/layers.ts'
import { putEmptyBase, putMergedBase } from './base-object.ts'
import { type LoggedChange, logText, type Manifest, manifestText, type NamedObject, parseManifest } from './manifest.ts'
import { type Condition, Conflict, Gone, type Objects } from './objects.ts'
import { Snapshot, whenLoaded } from './snapshot.ts'
import { keysIn, MANIFEST, MOST_TRIES, swapBase, unlessConflict } from './swap.ts'

/** How a store behaves, beside where it is. */
export interface StoreSettings {
  readonly refreshMs: number
  readonly commitBytes: number
  readonly cacheBytes: number
  readonly memberBytes: number
  readonly onError: (error: LapidaryError) => void
}

/** Reads at once what belongs together. */
export interface Reading {
  readonly layers: Layers
  /** Makes reads side by side; tells how many of them waited for each other. */
  all<T>(reads: readonly (() => T)[]): Promise<readonly T[]>
  rounds(): number
}

/** Only these objects are of the store; others in the bucket are not touched. */
const OF_MANIFESTS = /^(base|fences|log)-/
/** Up to here a log is written anew with what comes; from here on a new one is begun. */
const TAIL_BYTES = 262_144
/** A merge writes everything, so it waits for a share of that, within bounds. */
const MERGED_SHARE = 8
const MOST_LOG_BYTES = 16 * 2 ** 20

/** Sorted lists that are objects: a base file, logs, and a manifest that is swapped in one step where it is as it was seen. */
export class ObjectStore {
  readonly #objects: Objects
  readonly #settings: StoreSettings
  #snapshot: Snapshot | undefined
  #seenAt = Number.NEGATIVE_INFINITY
  #refreshing: Promise<number> | undefined
  #writing: Promise<unknown> = Promise.resolve()
  #writers = 0
  #readers = 0

  constructor(objects: Objects, settings: StoreSettings) {
    this.#objects = objects
    this.#settings = settings
  }

  /** Undefined where nothing was written yet. */
  async read<T>(ask: (reading: Reading) => Promise<T>): Promise<T | undefined> {
    for (let tries = 1; ; tries++) {
      let rounds = 0
      this.#readers++
      try {
        // While something is written here, what is known here is the newest there is.
        const isStale = this.#writers === 0 && performance.now() - this.#seenAt >= this.#settings.refreshMs
        if (isStale || this.#snapshot === undefined) {
          rounds += await this.#refresh()
        }
        const snapshot = this.#snapshot
        if (snapshot === undefined) return undefined
        return await ask({
          layers: snapshot.layers,
          async all(reads) {
            const made = await Promise.all(reads.map((run) => whenLoaded(run)))
            rounds += Math.max(0, ...made.map(([, waited]) => waited))
            return made.map(([result]) => result)
          },
          rounds: () => rounds,
        })
      } catch (error) {
        if (!(error instanceof Gone) || tries === MOST_TRIES) throw unavailable(error)
        // A commit has put other objects in the place of those.
        this.#forget()
      } finally {
        this.#readers--
        this.#rest()
      }
    }
  }

  /** Takes up everything that is in S3 by now, written by any process. */
  refresh(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#refresh().catch((error: unknown) => {
        throw unavailable(error)
      })
    })
  }

  /**
   * Makes changes in one turn of the event loop; all of them are in S3 when it resolves, or none. Where another process was faster, they
   * are taken back, and made again on top of its own.
   */
  write<T>(make: (lists: ChangingLists) => T, warm?: (lists: DiskListsView) => readonly (() => void)[]): Promise<T> {
    return this.#inTurn(async () => {
      for (let tries = 1; ; tries++) {
        try {
          if (this.#snapshot === undefined) await this.#refresh()
          const snapshot = this.#snapshot ?? (await this.#create())
          if (warm !== undefined) await Promise.all(warm(snapshot.layers).map((run) => whenLoaded(run)))
          return await this.#change(snapshot, make)
        } catch (error) {
          // Whether a write that failed is there is not known: the next one looks.
          this.#forget()
          if (!(error instanceof Conflict || error instanceof Gone) || tries === MOST_TRIES) throw unavailable(error)
        }
      }
    }).finally(() => this.#commitWhenDue())
  }

  /** Puts lists without entries in the place of all others, changed at once. */
  replace(make: (lists: ChangingLists) => void): Promise<void> {
    return this.#inTurn(async () => {
      for (let tries = 1; ; tries++) {
        try {
          const before = await this.#objects.read(MANIFEST).catch(ifGone)
          const { generation, objects } = before === undefined ? NOTHING : replaced(before.bytes)
          const base = await putEmptyBase(this.#objects, generation + 1, this.#settings.memberBytes)
          const empty: Manifest = { version: 1, ...base, logs: [], sealed: 0 }
          const condition: Condition = before === undefined ? { isNew: true } : { tag: before.tag }
          const snapshot = await Snapshot.open(this.#objects, empty, '', this.#settings.cacheBytes)
          await unlessConflict(this.#objects, [base.base, base.fences], () => this.#change(snapshot, make, condition))
          this.#seen(snapshot)
          await this.#objects.remove(objects)
          return
        } catch (error) {
          this.#forget()
          if (!(error instanceof Conflict) || tries === MOST_TRIES) throw unavailable(error)
        }
      }
    })
  }

  /** Merges the logs into a new base file. Other processes may write meanwhile; what they write stays in logs. */
  commit(): Promise<void> {
    return this.#inTurn(async () => {
      try {
        const snapshot = await this.#sealed()
        if (snapshot === undefined) return
        const { base, sealed } = snapshot.manifest
        // Objects of a process that ended before a manifest named them are there as well.
        const before = await this.#objects.keys()
        const merged = await putMergedBase(this.#objects, snapshot)
        const swapped = await swapBase(this.#objects, base, merged, sealed)
        if (swapped === undefined) await this.#objects.remove([merged.base.key, merged.fences.key])
        else await this.#sweep(before, swapped)
        this.#forget()
      } catch (error) {
        this.#forget()
        throw unavailable(error)
      }
    })
  }

  /**
   * Removes objects of before a swap that the manifest does not name. No other manifest will: the process that put one would swap the
   * manifest of before, and is refused.
   */
  async #sweep(before: readonly string[], manifest: Manifest): Promise<void> {
    const kept = new Set(keysIn(manifest))
    await this.#objects.remove(before.filter((key) => OF_MANIFESTS.test(key) && !kept.has(key)))
  }

  async written(): Promise<void> {
    await this.#writing.catch(() => {})
  }

  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    this.#writers++
    const turn = this.#writing
      .then(() => this.#refreshing?.then(ignore, ignore))
      .then(run)
      .finally(() => {
        this.#writers--
        this.#rest()
      })
    this.#writing = turn.catch(() => {})
    return turn
  }

  /** Tells how many requests waited for each other. */
  #refresh(): Promise<number> {
    this.#refreshing ??= this.#look().finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  async #look(): Promise<number> {
    for (let tries = 1, rounds = 1; ; tries++, rounds++) {
      try {
        const known = this.#snapshot
        const found =
          known === undefined ? await this.#objects.read(MANIFEST) : await this.#objects.readUnless(MANIFEST, known.tag)
        if (known !== this.#snapshot) continue
        if (found !== undefined) {
          const manifest = parseManifest(MANIFEST, found.bytes)
          const isFollowed = await known?.follow(this.#objects, manifest, found.tag)
          rounds++
          if (isFollowed !== true) {
            rounds++
            this.#snapshot = await Snapshot.open(this.#objects, manifest, found.tag, this.#settings.cacheBytes)
          }
        }
        this.#seenAt = performance.now()
        return rounds
      } catch (error) {
        if (!(error instanceof Gone) || tries === MOST_TRIES) throw error
        // Either there is no manifest, or another one has come since it was read.
        const isThere = await this.#objects.read(MANIFEST).then(() => true, ifGone)
        this.#forget()
        if (isThere !== true) return rounds
      }
    }
  }

  async #create(): Promise<Snapshot> {
    const base = await putEmptyBase(this.#objects, 1, this.#settings.memberBytes)
    const manifest: Manifest = { version: 1, ...base, logs: [], sealed: 0 }
    const put = (): Promise<string> => this.#objects.write(MANIFEST, manifestText(manifest), { isNew: true })
    const tag = await unlessConflict(this.#objects, [base.base, base.fences], put)
    const snapshot = await Snapshot.open(this.#objects, manifest, tag, this.#settings.cacheBytes)
    this.#seen(snapshot)
    return snapshot
  }

  async #change<T>(
    snapshot: Snapshot,
    make: (lists: ChangingLists) => T,
    condition: Condition = { tag: snapshot.tag },
  ): Promise<T> {
    const made: { readonly logged: LoggedChange; readonly undo: () => void }[] = []
    const takeBack = (): void => {
      for (const { undo } of made.splice(0).reverse()) undo()
    }
    const lists: ChangingLists = {
      list: (name: ByteString) => snapshot.layers.list(name),
      change(change) {
        const one = snapshot.change(change)
        if (one !== undefined) made.push(one)
      },
    }
    const [result] = await whenLoaded(() => {
      try {
        return make(lists)
      } catch (error) {
        takeBack()
        throw error
      }
    })
    if (made.length === 0) return result
    try {
      await this.#log(
        snapshot,
        made.map(({ logged }) => logged),
        condition,
      )
      return result
    } catch (error) {
      takeBack()
      throw error
    }
  }

  async #log(snapshot: Snapshot, changes: readonly LoggedChange[], condition: Condition): Promise<void> {
    const { logs, sealed, base } = snapshot.manifest
    const last = logs.length > sealed ? logs.at(-1) : undefined
    const extended = last !== undefined && last.bytes < TAIL_BYTES ? last : undefined
    const tail = extended === undefined ? changes : [...snapshot.tail, ...changes]
    const body = logText(base.key, tail)
    const log: NamedObject = { key: `log-${randomUUID()}`, bytes: body.length }
    const manifest: Manifest = {
      ...snapshot.manifest,
      logs: [...(extended === undefined ? logs : logs.slice(0, -1)), log],
    }
    await this.#objects.write(log.key, body)
    const put = (): Promise<string> => this.#objects.write(MANIFEST, manifestText(manifest), condition)
    snapshot.wrote(manifest, await unlessConflict(this.#objects, [log], put), tail)
    this.#seenAt = performance.now()
    if (extended !== undefined) await this.#objects.remove([extended.key])
  }

  /** Sees to it that nothing is added to the logs that are here; undefined when there are none. */
  async #sealed(): Promise<Snapshot | undefined> {
    for (let tries = 1; ; tries++) {
      await this.#refresh()
      const snapshot = this.#snapshot
      if (snapshot === undefined || snapshot.manifest.logs.length === 0) return undefined
      const manifest = { ...snapshot.manifest, sealed: snapshot.manifest.logs.length }
      try {
        const tag = await this.#objects.write(MANIFEST, manifestText(manifest), { tag: snapshot.tag })
        snapshot.manifest = manifest
        snapshot.tag = tag
        return snapshot
      } catch (error) {
        if (!(error instanceof Conflict) || tries === MOST_TRIES) throw error
      }
    }
  }

  #commitWhenDue(): void {
    const manifest = this.#snapshot?.manifest
    if (manifest === undefined || this.#writers > 0) return
    const bytes = manifest.logs.reduce((sum, log) => sum + log.bytes, 0)
    const share = Math.min(MOST_LOG_BYTES, manifest.base.bytes / MERGED_SHARE)
    if (bytes < Math.max(this.#settings.commitBytes, share)) return
    this.commit().catch(this.#settings.onError)
  }

  /** Lets go of memory when nothing counts on it. */
  #rest(): void {
    if (this.#readers === 0 && this.#writers === 0) this.#snapshot?.file.trim()
  }

  #seen(snapshot: Snapshot): void {
    this.#snapshot = snapshot
    this.#seenAt = performance.now()
  }

  #forget(): void {
    this.#snapshot = undefined
    this.#seenAt = Number.NEGATIVE_INFINITY
  }
}

function ignore(): void {}

const NOTHING = { generation: 0, objects: [] as readonly string[] }

/** Reads the names in a manifest that is given up; a damaged one tells none. */
function replaced(bytes: Buffer): typeof NOTHING {
  try {
    const manifest = parseManifest(MANIFEST, bytes)
    return { generation: manifest.generation, objects: keysIn(manifest) }
  } catch {
    return NOTHING
  }
}

function ifGone(error: unknown): undefined {
  if (!(error instanceof Gone)) throw error
}

function unavailable(error: unknown): unknown {
  if (!(error instanceof Conflict || error instanceof Gone)) return error
  return new LapidaryError('unavailable', `the page index in S3 changes too often, at ${error.message}; try again`, {
    cause: error,
  })
}
