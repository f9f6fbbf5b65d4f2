import type { CopyProjection } from 'lapidary'
import type { Services } from '../services.ts'
import type { Gallery } from './gallery.ts'
import type { Photo, PhotoSize } from './photo.ts'

/** The photos of comments: made small and anonymous, and kept in a storage. */
export interface Photos {
  /**
   * Makes a photo of an image that somebody sent, and keeps it. Nobody sees it before a comment names it.
   *
   * @throws {HttpProblem} `unprocessable` for what is no photo.
   */
  take(sent: Uint8Array): Promise<Photo>
  /** Returns a photo in WebP; undefined where it is not kept. */
  read(id: string, size: PhotoSize): Promise<Uint8Array<ArrayBuffer> | undefined>
  /** Removes photos for good. */
  forget(ids: readonly string[]): Promise<void>
  /** Makes what follows the photos of comments through the change stream. */
  follow(kept: () => FollowedPhotos): CopyProjection
}

/** What is kept of the photos of comments, and what it is kept from. */
export interface FollowedPhotos {
  readonly comments: Services['comments']
  readonly gallery: Gallery
  readonly photos: Photos
}
