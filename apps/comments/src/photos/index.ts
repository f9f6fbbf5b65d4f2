/** @module comments/photos */
export { type BucketPhotosOptions, bucketPhotos } from './bucket-photos.ts'
export { folderPhotos } from './folder-photos.ts'
export { openPhotos } from './open-photos.ts'
export type { Photo, PhotoSize } from './photo.ts'
export type { PhotoStorage } from './photo-storage.ts'
export type { FollowedPhotos, Photos } from './photos.ts'
