import type { GalleryEntry } from '../../photos/gallery.ts'
import { commentPath, galleryPath } from '../links.ts'
import { useWords } from '../reader.ts'
import { PhotoLink } from './photo-parts.tsx'

/** The photos of a product that are shown above its comments. */
export interface StripShown {
  /** The newest comments that have photos. */
  readonly entries: readonly GalleryEntry[]
  /** Whether there are more of them. */
  readonly hasMore: boolean
}

/** As many as a row on a desk takes. */
export const STRIP_PHOTOS = 8

/** Shows the newest photos of a product in one row. */
export function PhotoStrip({ productId, entries, hasMore }: StripShown & { readonly productId: string }) {
  const { say } = useWords()
  const all = entries.flatMap((comment) => comment.photos.map((_, at) => ({ comment, at })))
  if (all.length === 0) return null
  return (
    <div class="photo-strip">
      <h3 class="photo-strip-title">{say.photos.gallery}</h3>
      {hasMore || all.length > STRIP_PHOTOS ? <a href={galleryPath(productId)}>{say.photos.all}</a> : null}
      <ul class="photos">
        {all.slice(0, STRIP_PHOTOS).map(({ comment, at }) => (
          <li>
            <PhotoLink comment={comment} at={at} commentAt={commentPath(productId, comment.id)} />
          </li>
        ))}
      </ul>
    </div>
  )
}
