import { MOST_PHOTOS, PHOTO_TYPES } from '../../photos/photo.ts'
import type { ShownComment } from '../../shown-comment.ts'
import { describedBy, FieldError } from '../field-error.tsx'
import type { FormErrors } from '../posted-comment.ts'
import { useWords } from '../reader.ts'
import { PhotoSquare } from './photo-parts.tsx'

interface PhotoFieldsProps {
  /** The comment that is changed; undefined for a new one. */
  readonly comment: ShownComment | undefined
  readonly errors: FormErrors
}

/** Shows the photos that a comment has, to be removed, and a field for more. */
export function PhotoFields({ comment, errors }: PhotoFieldsProps) {
  const { number, say } = useWords()
  return (
    <fieldset class="photo-fields">
      <legend class="field-name">{say.photos.label}</legend>
      {comment?.photos.length ? <KeptPhotos comment={comment} /> : null}
      <label class="field-hint" for="write-photos">
        {say.photos.hint(number(MOST_PHOTOS))}
      </label>
      <input
        class="photo-field"
        id="write-photos"
        name="photos"
        type="file"
        accept={PHOTO_TYPES.join(',')}
        multiple
        {...describedBy('photos', errors)}
      />
      <ul class="photos photo-previews" aria-hidden="true" hidden />
      <FieldError name="photos" errors={errors} />
    </fieldset>
  )
}

function KeptPhotos({ comment }: { readonly comment: ShownComment }) {
  const { say } = useWords()
  return (
    <ul class="photos">
      {comment.photos.map(({ id }, at) => (
        <li>
          <label class="photo-kept">
            <PhotoSquare comment={comment} at={at} />
            <span class="photo-remove">
              <input type="checkbox" name="remove" value={id} /> {say.photos.remove}
            </span>
          </label>
        </li>
      ))}
    </ul>
  )
}
