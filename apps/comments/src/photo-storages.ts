import { join } from 'node:path'
import { type Config, ConfigError } from './config.ts'
import { loadedModule } from './loaded-module.ts'
import { openS3 } from './open-s3.ts'
import { bucketPhotos } from './photos/bucket-photos.ts'
import { folderPhotos } from './photos/folder-photos.ts'
import type { PhotoStorage } from './photos/photo-storage.ts'

/** The settings by which a storage is chosen. */
export type PhotosConfig = Pick<Config, 'photos' | 'dataDir' | 'dynamodbEndpoint'>

/** `s3://bucket/prefix` */
const S3_ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w./-]*))?$/

const PARTS = { required: ['write', 'read', 'remove'], help: 'docs/photos.md has one to start from' }

/**
 * Opens the storage of photos that `PHOTOS` names; undefined = none. On AWS there is none unless one is named, since servers there do not share the
 * folder of one.
 *
 * @throws {ConfigError} for an address that is none, and a module that is no storage.
 */
export async function openPhotoStorage({
  photos,
  dataDir,
  dynamodbEndpoint,
}: PhotosConfig): Promise<PhotoStorage | undefined> {
  if (photos === '0' || (photos === undefined && dynamodbEndpoint === 'aws')) return undefined
  if (photos === undefined) return folderPhotos(join(dataDir, 'photos'))
  if (/\.m?js$/.test(photos)) return (await loadedModule('PHOTOS', photos, PARTS)) as unknown as PhotoStorage
  const [, bucket, prefix = ''] = S3_ADDRESS.exec(photos) ?? []
  if (bucket === undefined && photos.includes('://'))
    throw new ConfigError(`PHOTOS is ${photos}; use a folder, a module, or an address like s3://bucket/prefix`)
  return bucket === undefined ? folderPhotos(photos) : bucketPhotos({ client: openS3(), bucket, prefix })
}
