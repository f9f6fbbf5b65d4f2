import { BaseFile } from '../file/base-file.ts'
import { BaseLists } from '../file/base-lists.ts'
import type { ByteString } from '../file/byte-string.ts'
import { Layers } from '../file/layers.ts'
import { scoreWithin } from '../file/placed-entry.ts'
import { type Fence, FencedList, type Hint } from './fenced-list.ts'
import { type LoggedChange, type Manifest, NOT_IN_BASE, parseFences, parseLog, type ReadChange } from './manifest.ts'
import type { Objects } from './objects.ts'
import { RangedFile, Unread } from './ranged-file.ts'

/** Makes what stops at bytes that are not here yet, as often as it takes; tells how many reads waited for each other. */
export async function whenLoaded<T>(run: () => T): Promise<readonly [result: T, rounds: number]> {
  for (let rounds = 0; ; rounds++) {
    try {
      return [run(), rounds]
    } catch (error) {
      if (!(error instanceof Unread)) throw error
      await error.load()
    }
  }
}

/** The lists of a base file in S3, and hints that logs give. */
class FencedLists extends BaseLists {
  readonly #hints = new Map<ByteString, Map<ByteString, Hint>>()

  constructor(base: BaseFile, fences: readonly Fence[]) {
    super(base, (entry) => new FencedList(base, entry, fences, this.#hintsOf(entry.name)))
  }

  learn({ change, hint }: LoggedChange): void {
    if (change.type !== 'drop') this.#hintsOf(change.list).set(change.member, hint)
  }

  #hintsOf(name: ByteString): Map<ByteString, Hint> {
    const hints = this.#hints.get(name) ?? new Map<ByteString, Hint>()
    this.#hints.set(name, hints)
    return hints
  }
}

/** Everything that a manifest names, as far as it is here. */
export class Snapshot {
  readonly layers: Layers
  readonly file: RangedFile
  manifest: Manifest
  tag: string
  /** The changes of the last log. */
  tail: readonly LoggedChange[] = []
  readonly #lists: FencedLists
  /** How many changes of each log are in. */
  readonly #applied: number[] = []

  private constructor(manifest: Manifest, tag: string, file: RangedFile, base: BaseFile, fences: readonly Fence[]) {
    this.manifest = manifest
    this.tag = tag
    this.file = file
    this.#lists = new FencedLists(base, fences)
    this.layers = new Layers(base, this.#lists)
  }

  /** @throws {Gone} when another process has put something else in the place of it meanwhile. */
  static async open(objects: Objects, manifest: Manifest, tag: string, cacheBytes: number): Promise<Snapshot> {
    const { base, fences, generation } = manifest
    const file = new RangedFile(objects, base.key, base.bytes, cacheBytes)
    const [{ bytes }] = await Promise.all([objects.read(fences.key), file.load(0)])
    const opened = BaseFile.open({ open: () => file }, base.key, generation, BLOCKS_BYTES)
    const snapshot = new Snapshot(manifest, tag, file, opened, parseFences(fences.key, bytes))
    await snapshot.#follow(objects, manifest)
    return snapshot
  }

  /** Takes up what a later manifest has more; false when it has another base file. */
  async follow(objects: Objects, manifest: Manifest, tag: string): Promise<boolean> {
    if (manifest.base.key !== this.manifest.base.key) return false
    await this.#follow(objects, manifest)
    this.manifest = manifest
    this.tag = tag
    return true
  }

  async #follow(objects: Objects, { logs, base }: Manifest): Promise<void> {
    const known = this.manifest.logs
    const isKnown = (i: number): boolean => this.#applied[i] !== undefined && known[i]?.key === logs[i]?.key
    const read = await Promise.all(
      logs.map(async ({ key }, i) =>
        isKnown(i) ? undefined : parseLog(key, (await objects.read(key)).bytes, base.key),
      ),
    )
    for (const [i, changes] of read.entries()) {
      if (changes === undefined) continue
      const applied = this.#applied[i] ?? 0
      const logged: LoggedChange[] = []
      for (const [n, one] of changes.entries()) logged.push(await this.#apply(one, n < applied))
      this.#applied[i] = changes.length
      if (i === logs.length - 1) this.tail = logged
    }
  }

  /** Gives it with its hint, which is looked up when a merge came between: what is written after it is written with it. */
  async #apply({ change, hint }: ReadChange, isApplied: boolean): Promise<LoggedChange> {
    const logged = { change, hint: hint ?? (await whenLoaded(() => this.#hintFor(change)))[0] }
    if (isApplied) return logged
    this.#lists.learn(logged)
    await whenLoaded(() => this.layers.apply(change))
    return logged
  }

  /** Makes a change here; gives it with what the base file has of it, and what takes it back. */
  change(change: LoggedChange['change']): { readonly logged: LoggedChange; readonly undo: () => void } | undefined {
    const hint = this.#hintFor(change)
    const undo = this.layers.apply(change)
    return undo && { logged: { change, hint }, undo }
  }

  /** Takes notice that the changes are in a log now. */
  wrote(manifest: Manifest, tag: string, tail: readonly LoggedChange[]): void {
    this.manifest = manifest
    this.tag = tag
    this.tail = tail
    this.#applied[manifest.logs.length - 1] = tail.length
  }

  #hintFor(change: LoggedChange['change']): Hint {
    if (change.type === 'drop') return NOT_IN_BASE
    const list = this.#lists.list(change.list)
    if (!(list instanceof FencedList)) return NOT_IN_BASE
    return list.hint(scoreWithin(change.member) ?? 0, change.member)
  }
}

/** Blocks that were checked; the chunks that they are in are kept apart. */
const BLOCKS_BYTES = 262_144
