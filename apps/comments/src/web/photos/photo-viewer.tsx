import { Icon } from '../icons.tsx'
import { useReader } from '../reader.ts'

/** Holds the photo that the script shows over the page. */
export function PhotoViewer() {
  const { hasPhotos, words } = useReader()
  const { photos } = words.say
  if (!hasPhotos) return null
  return (
    <dialog class="photo-viewer" id="photo-viewer" aria-label={photos.gallery}>
      <button class="photo-close" type="button" aria-label={photos.close}>
        <Icon name="cross" size={20} />
      </button>
      <button class="photo-before" type="button" data-step="-1" aria-label={photos.previous}>
        <Icon name="before" size={20} />
      </button>
      <img class="photo-whole" alt="" />
      <button class="photo-after" type="button" data-step="1" aria-label={photos.next}>
        <Icon name="after" size={20} />
      </button>
      <p>
        <a href="/">{photos.read}</a>
      </p>
    </dialog>
  )
}
