import { DeleteObjectCommand, GetObjectCommand, NoSuchKey, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import type { PhotoStorage } from './photo-storage.ts'

/** Options of {@link bucketPhotos}. */
export interface BucketPhotosOptions {
  readonly client: Pick<S3Client, 'send'>
  readonly bucket: string
  /** The beginning of keys: `photos/`; none when not given. */
  readonly prefix?: string
}

/** Keeps photos in a bucket of S3, which nobody needs to read but the application. Its role needs `s3:GetObject`, `s3:PutObject` and `s3:DeleteObject`. */
export function bucketPhotos({ client, bucket, prefix = '' }: BucketPhotosOptions): PhotoStorage {
  const at = (name: string) => ({ Bucket: bucket, Key: prefix + name })
  return {
    async write(name, Body) {
      await client.send(new PutObjectCommand({ ...at(name), Body, ContentType: 'image/webp' }))
    },
    async read(name) {
      try {
        const { Body } = await client.send(new GetObjectCommand(at(name)))
        return Body === undefined ? undefined : new Uint8Array(await Body.transformToByteArray())
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined
        throw error
      }
    },
    async remove(name) {
      await client.send(new DeleteObjectCommand(at(name)))
    },
  }
}
