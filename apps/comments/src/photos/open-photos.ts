import { randomBytes } from 'node:crypto'
import { HttpProblem } from 'lapidary-http/internal'
import { followedPhotos } from './followed-photos.ts'
import type { PhotoSize } from './photo.ts'
import type { PhotoStorage } from './photo-storage.ts'
import type { Photos } from './photos.ts'

const ID_BYTES = 16

/** Opens the photos in a storage. */
export function openPhotos(storage: PhotoStorage): Photos {
  const forget = async (ids: readonly string[]): Promise<void> => {
    await Promise.all(ids.flatMap((id) => [storage.remove(fileOf(id, 'large')), storage.remove(fileOf(id, 'small'))]))
  }
  return {
    async take(sent) {
      // It brings a library of its own, which a server that is sent none does without.
      const { makePhoto } = await import('./made-photo.ts')
      const { width, height, large, small } = await makePhoto(sent)
      const id = randomBytes(ID_BYTES).toString('base64url')
      const writes = [storage.write(fileOf(id, 'large'), large), storage.write(fileOf(id, 'small'), small)]
      const refused = (await Promise.allSettled(writes)).find(({ status }) => status === 'rejected')
      if (refused !== undefined) {
        await forget([id]).catch(() => undefined)
        throw away((refused as PromiseRejectedResult).reason)
      }
      return { id, width, height }
    },
    read: (id, size) => storage.read(fileOf(id, size)).catch((error: unknown) => Promise.reject(away(error))),
    forget,
    follow: followedPhotos,
  }
}

function away(cause: unknown): HttpProblem {
  return new HttpProblem('unavailable', 'the storage of photos does not answer', { cause })
}

function fileOf(id: string, size: PhotoSize): string {
  return size === 'large' ? `${id}.webp` : `${id}-${size}.webp`
}
