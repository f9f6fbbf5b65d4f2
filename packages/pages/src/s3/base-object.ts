import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BaseFile } from '../file/base-file.ts'
import { writeEmptyBase } from '../file/base-writer.ts'
import { type DiskFile, realDisk } from '../file/disk.ts'
import { basePath } from '../file/folder-files.ts'
import { mergeInto } from '../file/merge.ts'
import { fencesOf } from './fenced-list.ts'
import { fencesText, type Manifest, type NamedObject } from './manifest.ts'
import type { Objects } from './objects.ts'
import type { Snapshot } from './snapshot.ts'

type Base = Pick<Manifest, 'generation' | 'base' | 'fences'>

const CACHE_BYTES = 2 ** 20
const PIECE_BYTES = 8 * 2 ** 20

/** Puts a base file without entries in place. */
export function putEmptyBase(objects: Objects, generation: number, memberBytes: number): Promise<Base> {
  return withFolder((folder) =>
    putBase(objects, folder, generation, (file) => writeEmptyBase(file, generation, memberBytes)),
  )
}

/** Fetches the base file of a snapshot, merges what has changed into the next one, and puts that in place; both are on the disk meanwhile. */
export function putMergedBase(objects: Objects, { manifest, layers }: Snapshot): Promise<Base> {
  return withFolder(async (folder) => {
    const { base, generation } = manifest
    const path = basePath(folder, generation)
    await fetchObject(objects, base, path)
    const opened = BaseFile.open(realDisk, path, generation, CACHE_BYTES)
    try {
      const next = generation + 1
      return await putBase(objects, folder, next, (file) => mergeInto(file, next, opened, layers.live.lists))
    } finally {
      opened.close()
    }
  })
}

async function putBase(
  objects: Objects,
  folder: string,
  generation: number,
  write: (file: DiskFile) => Promise<void>,
): Promise<Base> {
  const path = basePath(folder, generation)
  const file = realDisk.open(path, 'create')
  try {
    await write(file)
  } finally {
    file.close()
  }
  const opened = BaseFile.open(realDisk, path, generation, CACHE_BYTES)
  const fences = fencesText(fencesOf(opened))
  opened.close()
  const id = randomUUID()
  const bytes = opened.sections.fileBytes
  const named = { base: { key: `base-${id}`, bytes }, fences: { key: `fences-${id}`, bytes: fences.length } }
  await objects.writeFile(named.base.key, path, bytes)
  await objects.write(named.fences.key, fences)
  return { generation, ...named }
}

async function fetchObject(objects: Objects, { key, bytes }: NamedObject, path: string): Promise<void> {
  const stream = createWriteStream(path)
  for (let from = 0; from < bytes; from += PIECE_BYTES) {
    const piece = await objects.readRange(key, from, Math.min(bytes, from + PIECE_BYTES))
    await new Promise<void>((resolve, reject) => {
      stream.write(piece, (error) => (error ? reject(error) : resolve()))
    })
  }
  await new Promise<void>((resolve, reject) => {
    stream.once('error', reject)
    stream.end(() => resolve())
  })
}

async function withFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'lapidary-pages-'))
  try {
    return await run(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
