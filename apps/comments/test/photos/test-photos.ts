import sharp from 'sharp'
import { openPhotos } from '../../src/photos/open-photos.ts'
import type { PhotoStorage } from '../../src/photos/photo-storage.ts'
import type { Photos } from '../../src/photos/photos.ts'

/** Photos that are kept in memory, with the names of their files. */
export function memoryPhotos(): { readonly photos: Photos; readonly files: Map<string, Uint8Array<ArrayBuffer>> } {
  const files = new Map<string, Uint8Array<ArrayBuffer>>()
  const storage: PhotoStorage = {
    write: async (name, bytes) => void files.set(name, bytes),
    read: async (name) => files.get(name),
    remove: async (name) => void files.delete(name),
  }
  return { photos: openPhotos(storage), files }
}

/** An image with more to see than one colour. */
export async function image(
  format: 'jpeg' | 'png' | 'webp' | 'gif' = 'jpeg',
  { width = 320, height = 200 }: { readonly width?: number; readonly height?: number } = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const noise = {
    create: { width, height, channels: 3, background: '#3a7', noise: { type: 'gaussian', mean: 128, sigma: 30 } },
  } as const
  return new Uint8Array(await sharp(noise).toFormat(format).toBuffer())
}
