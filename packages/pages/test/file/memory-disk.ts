import { basename } from 'node:path'
import type { Disk, DiskFile } from '../../src/file/disk.ts'

/** A write that is not synced yet. */
interface Write {
  readonly position: number
  readonly bytes: Buffer
}

interface Inode {
  /** The files that are there after a crash. */
  synced: Buffer
  current: Buffer
  writes: Write[]
}

/** The machine stops: nothing reaches the disk any more. */
export class Crash extends Error {
  override readonly name = 'Crash'
}

/** A disk in memory that knows what was synced, and can stop, or refuse, at any operation. */
export class MemoryDisk implements Disk {
  /** Operations that change anything, so far. */
  operations = 0
  /** Called before each of them with its number; what it throws is what the operation throws. */
  before: (operation: number, kind: string) => void = () => {}
  /** Large writes, which only a commit makes, wait for it. */
  gate: Promise<void> | undefined
  #syncs = 0
  #names = new Map<string, Inode>()
  #syncedNames = new Map<string, Inode>()
  /** The changes of names since the folder was synced. */
  #nameChanges: ((names: Map<string, Inode>) => void)[] = []

  /** The disk as it may be after the machine stopped: of what was not synced, any part. */
  afterCrash(random: () => number): MemoryDisk {
    const disk = new MemoryDisk()
    const names = new Map(this.#syncedNames)
    // Each of them may have reached the disk, in whatever order the file system saw fit.
    for (const change of this.#nameChanges) if (random() < 0.5) change(names)
    for (const [name, inode] of names) {
      let bytes: Buffer = Buffer.from(inode.synced)
      for (const write of inode.writes) bytes = partly(bytes, write, random)
      const after: Inode = { synced: bytes, current: bytes, writes: [] }
      disk.#names.set(name, after)
      disk.#syncedNames.set(name, after)
    }
    return disk
  }

  /** A copy, all of it synced. */
  copy(): MemoryDisk {
    const disk = new MemoryDisk()
    for (const [name, { current }] of this.#names) disk.put(name, Buffer.from(current))
    return disk
  }

  /** The bytes of every file, by name. */
  files(): ReadonlyMap<string, Buffer> {
    return new Map([...this.#names].map(([name, { current }]) => [name, current]))
  }

  put(name: string, bytes: Buffer): void {
    const inode: Inode = { synced: bytes, current: bytes, writes: [] }
    this.#names.set(name, inode)
    this.#syncedNames.set(name, inode)
  }

  makeFolder(): void {}

  list(): readonly string[] {
    return [...this.#names.keys()]
  }

  open(path: string, mode: 'read' | 'write' | 'create'): DiskFile {
    const name = basename(path)
    if (mode === 'create') {
      this.#step('create')
      const created: Inode = { synced: Buffer.alloc(0), current: Buffer.alloc(0), writes: [] }
      this.#rename((names) => names.set(name, created))
    }
    const inode = this.#names.get(name)
    if (inode === undefined) throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT', path })
    return this.#file(inode)
  }

  rename(from: string, to: string): void {
    this.#step('rename')
    const inode = this.#names.get(basename(from))
    if (inode === undefined) throw Object.assign(new Error(`ENOENT: ${from}`), { code: 'ENOENT', path: from })
    this.#rename((names) => {
      names.delete(basename(from))
      names.set(basename(to), inode)
    })
  }

  remove(path: string): void {
    this.#step('remove')
    this.#rename((names) => names.delete(basename(path)))
  }

  #rename(change: (names: Map<string, Inode>) => void): void {
    change(this.#names)
    this.#nameChanges.push(change)
  }

  syncFolder(): void {
    this.#step('sync folder')
    this.#syncedNames = new Map(this.#names)
    this.#nameChanges = []
  }

  #step(kind: string): void {
    this.before(++this.operations, kind)
  }

  #file(inode: Inode): DiskFile {
    let isClosed = false
    const read: DiskFile['read'] = (into, offset, length, position) => {
      if (isClosed) throw new Error('a file was read after it was closed')
      return inode.current.copy(into, offset, position, Math.min(position + length, inode.current.length))
    }
    const write: DiskFile['write'] = (from, offset, length, position) => {
      const bytes = Buffer.from(from.subarray(offset, offset + length))
      const put = (part: Buffer): void => {
        inode.writes.push({ position, bytes: part })
        inode.current = written(inode.current, { position, bytes: part })
      }
      try {
        this.#step('write')
      } catch (error) {
        // Some of it is there.
        put(bytes.subarray(0, bytes.length >> 1))
        throw error
      }
      put(bytes)
    }
    const sync = (): void => {
      this.#step('sync')
      // Now and then one is slow; those after it do not hold up the thread of JavaScript.
      const until = performance.now() + (++this.#syncs % 3 === 0 ? 0.3 : 0)
      while (performance.now() < until);
      inode.synced = Buffer.from(inode.current)
      inode.writes = []
    }
    return {
      size: () => inode.current.length,
      read,
      readLater: async (...which) => read(...which),
      write,
      writeLater: async (...which) => {
        await this.gate
        write(...which)
      },
      truncate: (size) => {
        this.#step('truncate')
        inode.current = inode.current.subarray(0, size)
        // At once on the disk, or not: the harder of the two is that what was there comes back, so it stays in `writes`.
        if (inode.synced.length > size) inode.synced = inode.synced.subarray(0, size)
      },
      sync,
      syncLater: async () => {
        await new Promise(setImmediate)
        sync()
      },
      close: () => {
        isClosed = true
      },
    }
  }
}

function written(before: Buffer, { position, bytes }: Write): Buffer {
  const after = Buffer.alloc(Math.max(before.length, position + bytes.length))
  before.copy(after)
  bytes.copy(after, position)
  return after
}

/** None of a write, all of it, its beginning, or its length with zeros in the middle. */
function partly(before: Buffer, { position, bytes }: Write, random: () => number): Buffer {
  const part = Math.floor(random() * (bytes.length + 1))
  switch (Math.floor(random() * 4)) {
    case 0:
      return before
    case 1:
      return written(before, { position, bytes })
    case 2:
      return written(before, { position, bytes: bytes.subarray(0, part) })
    default: {
      const holed = Buffer.from(bytes)
      holed.fill(0, part, Math.min(bytes.length, part + 512))
      return written(before, { position, bytes: holed })
    }
  }
}
