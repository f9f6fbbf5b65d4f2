import { setImmediate as breathe } from 'node:timers/promises'
import type { BaseFile, FoundName } from './base-file.ts'
import { SCORE_BYTES } from './base-format.ts'
import { BaseWriter } from './base-writer.ts'
import type { ByteString } from './byte-string.ts'
import type { ChangedList } from './changed-list.ts'
import type { DiskFile } from './disk.ts'
import { keyedHash } from './keyed-hash.ts'
import { orderOf } from './number-order.ts'
import { rankShift } from './rank-shift.ts'
import { SectionReader } from './section-reader.ts'
import type { SectionWriter } from './section-writer.ts'
import { heapPlace, IN_HEAP } from './text-field.ts'

/** A list with changes, and where it is in the base file. */
interface Merged extends FoundName {
  readonly list: ChangedList
}

/** A member that was added, and how many entries of the list below come before it. */
interface AddedPlace {
  readonly member: ByteString
  readonly below: number
}

/** Lists that are looked up before others have a turn. */
const AT_ONCE = 100

/**
 * Writes a base file with the entries of another one and changes on top of them. What did not change is copied as it is, in large pieces,
 * and other work has its turn after each; memory is that of the changes.
 */
export async function mergeInto(
  file: DiskFile,
  generation: number,
  base: BaseFile,
  changes: ReadonlyMap<ByteString, ChangedList>,
): Promise<void> {
  const merged = await placesOf(base, changes)
  const { header } = base
  const entries = merged.reduce((sum, { list, count }) => sum + list.count - count, header.entries)
  const lists = merged.reduce((sum, { list, count }) => sum + Number(list.count > 0) - Number(count > 0), header.lists)
  const { hashKey, memberBytes } = header
  const writer = new BaseWriter(file, { generation, hashKey, memberBytes, entries, lists })
  await new Merge(base, writer, merged).run()
  await writer.finish()
}

async function placesOf(base: BaseFile, changes: ReadonlyMap<ByteString, ChangedList>): Promise<Merged[]> {
  const merged: Merged[] = []
  for (const [name, list] of changes) {
    if (merged.length % AT_ONCE === AT_ONCE - 1) await breathe()
    merged.push({ list, ...base.find(name) })
  }
  return merged.sort((a, b) => a.hash - b.hash || (a.name < b.name ? -1 : 1))
}

class Merge {
  readonly #base: BaseFile
  readonly #writer: BaseWriter
  readonly #merged: readonly Merged[]

  constructor(base: BaseFile, writer: BaseWriter, merged: readonly Merged[]) {
    this.#base = base
    this.#writer = writer
    this.#merged = merged
  }

  async run(): Promise<void> {
    await this.#order()
    await this.#index()
    await this.#directory()
  }

  async #order(): Promise<void> {
    const { sections, header } = this.#base
    const reader = new SectionReader(this.#base, sections.order)
    const copy = async (from: number, to: number): Promise<void> => {
      for await (const [offset, records] of copied(reader, this.#writer.order, from, to)) {
        if (header.heapBytes > 0) await this.#moveTexts(offset, records)
      }
    }
    let done = 0
    for (const { list, start, count } of this.#merged) {
      await copy(done, start)
      // Entries of a list that was dropped before others were added are not below those.
      const end = start + list.below.count
      done = start
      for (const { below, score, member, isAdded } of list.changes()) {
        await copy(done, start + below)
        done = start + below
        if (isAdded) await this.#writer.putEntry({ score, member })
        else done++
      }
      await copy(done, end)
      done = start + count
    }
    await copy(done, header.entries)
  }

  async #index(): Promise<void> {
    const { sections, header } = this.#base
    const reader = new SectionReader(this.#base, sections.index)
    const copy = async (from: number, to: number): Promise<void> => {
      for await (const _ of copied(reader, this.#writer.index, from, to));
    }
    let done = 0
    for (const { list, start, count } of this.#merged) {
      await copy(done, start)
      await this.#indexOf(list, start, reader)
      done = start + count
    }
    await copy(done, header.entries)
  }

  /** The index of one list: that of the list below in the order of hashes, with new ranks, and what was added in between. */
  async #indexOf(list: ChangedList, start: number, reader: SectionReader): Promise<void> {
    const added: AddedPlace[] = []
    const removed: number[] = []
    for (const { below, member, isAdded } of list.changes()) {
      if (isAdded) added.push({ below, member })
      else removed.push(below)
    }
    const shift = rankShift(
      list.below.count,
      removed,
      Array.from(added, ({ below }) => below),
    )
    const coming = this.#byHash(added, removed)
    const writer = this.#writer
    if (writer.index.isFull) await writer.index.flush()
    let next = 0
    for (let i = start, end = start + list.below.count; i < end; i++) {
      if (!reader.has(i)) await reader.load(i)
      const offset = reader.offsetOf(i)
      const hash = reader.bytes.readUInt32LE(offset)
      for (let add = coming[next]; add !== undefined && add.hash < hash; add = coming[++next]) {
        const full = writer.putIndex(add.hash, add.rank)
        if (full !== undefined) await full
      }
      const rank = shift(reader.bytes.readUInt32LE(offset + 4))
      if (rank < 0) continue
      const full = writer.putIndex(hash, rank)
      if (full !== undefined) await full
    }
    for (let add = coming[next]; add !== undefined; add = coming[++next]) await writer.putIndex(add.hash, add.rank)
  }

  /** Hashes and ranks of added entries, in the order of hashes. */
  #byHash(
    added: readonly AddedPlace[],
    removed: readonly number[],
  ): { readonly hash: number; readonly rank: number }[] {
    const { hashKey } = this.#base.header
    let passed = 0
    const coming = added.map(({ member, below }, i) => {
      while ((removed[passed] ?? Number.POSITIVE_INFINITY) < below) passed++
      return { hash: keyedHash(hashKey, member), rank: below - passed + i }
    })
    return Array.from(orderOf(coming.map(({ hash }) => hash)), (i) => coming[i] as (typeof coming)[number])
  }

  async #directory(): Promise<void> {
    const { sections, header } = this.#base
    const reader = new SectionReader(this.#base, sections.directory)
    let start = 0
    let done = 0
    const copy = async (to: number): Promise<void> => {
      for (; done < to; done++) {
        if (!reader.has(done)) await reader.load(done)
        const { hash, count, name } = this.#base.directoryEntryIn(reader.bytes, reader.offsetOf(done))
        await this.#writer.putList(hash, start, count, name)
        start += count
      }
    }
    for (const { name, hash, list, index, count } of this.#merged) {
      await copy(index)
      if (list.count > 0) await this.#writer.putList(hash, start, list.count, name)
      start += list.count
      if (count > 0) done++
    }
    await copy(header.lists)
  }

  /** Gives members that are in the heap of the one file their place in that of the other. */
  async #moveTexts(offset: number, records: number): Promise<void> {
    const { sections, header } = this.#base
    const { order } = this.#writer
    for (let i = 0; i < records; i++) {
      const field = offset + i * sections.order.recordBytes + SCORE_BYTES
      if (order.bytes[field] !== IN_HEAP) continue
      const text = this.#base.heapText(heapPlace(order.bytes, field))
      await this.#writer.putText(order, field, header.memberBytes, text)
    }
  }
}

/** Copies records from section to section; gives where each run of them was put, before it is flushed. */
async function* copied(
  reader: SectionReader,
  writer: SectionWriter,
  from: number,
  to: number,
): AsyncGenerator<readonly [offset: number, records: number], undefined> {
  for (let index = from; index < to; ) {
    if (!reader.has(index)) await reader.load(index)
    if (writer.isFull) await writer.flush()
    const records = Math.min(to - index, reader.section.runFrom(index), writer.room)
    const source = reader.offsetOf(index)
    const offset = writer.take(records)
    reader.bytes.copy(writer.bytes, offset, source, source + records * reader.section.recordBytes)
    yield [offset, records]
    index += records
  }
}
