import type { Page } from 'lapidary'
import type { GalleryEntry } from '../../photos/gallery.ts'
import { commentPath, galleryPath } from '../links.ts'
import type { ProductShown } from '../product-shown.tsx'
import { useWords } from '../reader.ts'
import { SheetPage } from '../sheet-page.tsx'
import { PhotoLink } from './photo-parts.tsx'

interface GalleryPageProps {
  readonly productId: string
  readonly product: ProductShown | undefined
  readonly page: Page<GalleryEntry>
}

/** Shows the photos of a product, the newest first. */
export function GalleryPage({ productId, product, page }: GalleryPageProps) {
  const { isolate, say } = useWords()
  const { photos } = say
  const { next, previous } = page.cursors
  const title = `${photos.gallery} – ${isolate(product?.name ?? say.product(productId))}`
  return (
    <SheetPage title={title} description={title} of={{ productId, product }}>
      <section class="sheet gallery" aria-labelledby="gallery-title">
        <h2 class="write-heading" id="gallery-title">
          {photos.gallery}
        </h2>
        {page.items.length === 0 ? <p class="people-text">{photos.none}</p> : null}
        <ul class="photos">
          {page.items.flatMap((comment) =>
            comment.photos.map((_, at) => (
              <li>
                <PhotoLink comment={comment} at={at} commentAt={commentPath(productId, comment.id)} />
              </li>
            )),
          )}
        </ul>
        {next === null && previous === null ? null : (
          <nav class="message-links" aria-label={say.pages.label}>
            {previous === null ? null : (
              <a class="button button-quiet" href={galleryPath(productId, previous)} rel="prev">
                {photos.newer}
              </a>
            )}
            {next === null ? null : (
              <a class="button button-quiet" href={galleryPath(productId, next)} rel="next">
                {photos.older}
              </a>
            )}
          </nav>
        )}
      </section>
    </SheetPage>
  )
}
