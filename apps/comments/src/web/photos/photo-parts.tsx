import type { ShownComment } from '../../shown-comment.ts'
import { photoPath } from '../links.ts'
import { useReader, useWords } from '../reader.ts'

/** A comment, as far as its photos show it. */
export type Photographed = Pick<ShownComment, 'id' | 'author' | 'photos'>

/** Shows the photos of a comment as small squares, each of which leads to the whole one; the script shows them over the page. */
export function CommentPhotos({ comment }: { readonly comment: Photographed }) {
  const { hasPhotos, words } = useReader()
  // Without a storage there is nothing to show.
  if (!hasPhotos || comment.photos.length === 0) return null
  return (
    <ul class="photos" aria-label={words.say.photos.label}>
      {comment.photos.map((_, at) => (
        <li>
          <PhotoLink comment={comment} at={at} />
        </li>
      ))}
    </ul>
  )
}

interface PhotoLinkProps {
  readonly comment: Photographed
  /** The place of the photo among those of the comment. */
  readonly at: number
  /** The address of the comment, where the photo is not beside it. */
  readonly commentAt?: string
}

/** Shows one photo as a square that leads to the whole one. */
export function PhotoLink({ comment, at, commentAt }: PhotoLinkProps) {
  const photo = comment.photos[at]
  if (photo === undefined) return null
  return (
    <a class="photo" href={photoPath(comment.id, photo.id, 'large')} data-comment={commentAt}>
      <PhotoSquare comment={comment} at={at} />
    </a>
  )
}

/** Pixels of a square at the size at which it is shown. */
const SIDE = 96

/** Shows the square of a photo. Its text says which one it is, since nobody has said what it shows. */
export function PhotoSquare({ comment, at }: Pick<PhotoLinkProps, 'comment' | 'at'>) {
  const { isolate, number, say } = useWords()
  const { id, author, photos } = comment
  return (
    <img
      src={photoPath(id, photos[at]?.id ?? '', 'small')}
      alt={say.photos.of(number(at + 1), number(photos.length), isolate(author))}
      width={SIDE}
      height={SIDE}
      loading="lazy"
    />
  )
}
