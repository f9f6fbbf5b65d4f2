import { join } from 'node:path'
import { type Config, S3_ADDRESS } from './config.ts'
import { openS3 } from './open-s3.ts'
import { bucketPhotos } from './photos/bucket-photos.ts'
import { folderPhotos } from './photos/folder-photos.ts'
import type { PhotoStorage } from './photos/photo-storage.ts'

/** The settings by which a storage is chosen. */
export type PhotosConfig = Pick<Config, 'photos' | 'dataDir' | 'dynamodbEndpoint'>

/**
 * Opens the storage of photos that `PHOTOS` names; undefined = none. On AWS there is none unless one is named, since servers there do not share the
 * folder of one.
 */
export function openPhotoStorage({ photos, dataDir, dynamodbEndpoint }: PhotosConfig): PhotoStorage | undefined {
  if (photos === '0' || (photos === undefined && dynamodbEndpoint === 'aws')) return undefined
  if (photos === undefined) return folderPhotos(join(dataDir, 'photos'))
  const [, bucket, prefix = ''] = S3_ADDRESS.exec(photos) ?? []
  return bucket === undefined ? folderPhotos(photos) : bucketPhotos({ client: openS3(), bucket, prefix })
}
