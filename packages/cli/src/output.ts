import { once } from 'node:events'
import { createWriteStream, rmSync } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { UsageError } from './options.ts'
import type { Terminal } from './terminal.ts'

/** The output of a command: standard output, or a file that appears only once it is complete. */
export interface Output {
  readonly isStandardOutput: boolean
  /** Bytes before compression. */
  bytes(): number
  /** Resolves when there is room for more. */
  write(text: string): Promise<void>
  /** Moves the complete file to its name. */
  finish(): Promise<void>
  /** Removes the incomplete file. */
  abandon(): Promise<void>
}

/**
 * @param file `-` for standard output; undefined to write nothing.
 * @throws A file system error with its `path`.
 */
export async function openOutput(file: string | undefined, terminal: Terminal): Promise<Output> {
  let bytes = 0
  const counted = (text: string): void => {
    bytes += Buffer.byteLength(text)
  }
  if (file === undefined || file === '-') {
    return {
      isStandardOutput: file === '-',
      bytes: () => bytes,
      async write(text) {
        counted(text)
        if (file === '-') await terminal.write(text)
      },
      finish: async () => {},
      abandon: async () => {},
    }
  }
  const target = resolve(file)
  await refuseFolder(target)
  // In the same folder, so that the rename is one step.
  const temporary = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`)
  const disk = createWriteStream(temporary, { flush: true })
  // Also when the process ends meanwhile.
  const clear = (): void => rmSync(temporary, { force: true })
  process.once('exit', clear)
  await once(disk, 'open')
  let stream: Writable = disk
  if (target.endsWith('.gz')) {
    const gzip = createGzip()
    gzip.pipe(disk)
    stream = gzip
  }
  let failure: unknown
  disk.on('error', (error) => {
    failure = error
    stream.destroy()
  })
  return {
    isStandardOutput: false,
    bytes: () => bytes,
    async write(text) {
      if (failure !== undefined) throw failure
      counted(text)
      if (!stream.write(text)) await roomIn(stream)
    },
    async finish() {
      stream.end()
      await finished(disk)
      await rename(temporary, target)
      process.off('exit', clear)
    },
    async abandon() {
      stream.destroy()
      disk.destroy()
      await rm(temporary, { force: true })
      process.off('exit', clear)
    },
  }
}

async function refuseFolder(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory() === true) throw new UsageError(`${path} is a folder; name a file in it`)
}

/** Waits until a stream takes more, or never will. */
async function roomIn(stream: Writable): Promise<void> {
  const stop = new AbortController()
  try {
    await Promise.race([once(stream, 'drain', stop), once(stream, 'close', stop)])
  } finally {
    stop.abort()
  }
}
