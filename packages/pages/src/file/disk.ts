import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  read,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  write,
  writeSync,
} from 'node:fs'
import { promisify } from 'node:util'

/** A file that can be read; positions and lengths are in bytes. */
export interface ReadableFile {
  size(): number
  /** How many bytes there were. */
  read(into: Buffer, offset: number, length: number, position: number): number
  /** The same without waiting for the disk on the thread of JavaScript. */
  readLater(into: Buffer, offset: number, length: number, position: number): Promise<number>
  close(): void
}

/** A file that can be written, too. */
export interface DiskFile extends ReadableFile {
  /** All of them, or it throws. */
  write(from: Buffer, offset: number, length: number, position: number): void
  writeLater(from: Buffer, offset: number, length: number, position: number): Promise<void>
  truncate(size: number): void
  /** Puts everything that was written on the disk, where it stays however the machine ends. */
  sync(): void
  syncLater(): Promise<void>
}

/** A file system, as a store needs it; tests have one that fails, and one that loses what was not synced. */
export interface Disk {
  makeFolder(folder: string): void
  /** Names of the files in a folder. */
  list(folder: string): readonly string[]
  open(path: string, mode: 'read' | 'write' | 'create'): DiskFile
  rename(from: string, to: string): void
  remove(path: string): void
  /** Names that were given or taken in the folder stay so, however the machine ends. */
  syncFolder(folder: string): void
}

const FLAGS = { read: 'r', write: 'r+', create: 'w+' } as const
const readAsync = promisify(read)
const writeAsync = promisify(write)
const syncAsync = promisify(fdatasync)

/** The files of this machine. */
export const realDisk: Disk = {
  makeFolder: (folder) => void mkdirSync(folder, { recursive: true }),
  list: (folder) => readdirSync(folder),
  open: (path, mode) => realFile(openSync(path, FLAGS[mode], 0o600)),
  rename: renameSync,
  remove: (path) => rmSync(path, { force: true }),
  syncFolder(folder) {
    const descriptor = openSync(folder, 'r')
    try {
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  },
}

function realFile(descriptor: number): DiskFile {
  return {
    size: () => fstatSync(descriptor).size,
    read: (into, offset, length, position) => readSync(descriptor, into, offset, length, position),
    readLater: async (into, offset, length, position) =>
      (await readAsync(descriptor, into, offset, length, position)).bytesRead,
    write(from, offset, length, position) {
      // A disk with room for some of it takes that, and refuses the rest.
      for (let done = 0; done < length; )
        done += writeSync(descriptor, from, offset + done, length - done, position + done)
    },
    async writeLater(from, offset, length, position) {
      for (let done = 0; done < length; ) {
        done += (await writeAsync(descriptor, from, offset + done, length - done, position + done)).bytesWritten
      }
    },
    truncate: (size) => ftruncateSync(descriptor, size),
    sync: () => fdatasyncSync(descriptor),
    syncLater: () => syncAsync(descriptor),
    close: () => closeSync(descriptor),
  }
}
