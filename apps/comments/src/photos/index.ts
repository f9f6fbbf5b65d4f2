/** @module comments/photos */
export { type BucketPhotosOptions, bucketPhotos } from './bucket-photos.ts'
export { folderPhotos } from './folder-photos.ts'
export type { Photo, PhotoSize } from './photo.ts'
export type { PhotoStorage } from './photo-storage.ts'
export { openPhotos, type Photos } from './photos.ts'
