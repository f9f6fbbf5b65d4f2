import type { Context } from 'hono'
import { requireProduct } from '../../catalogue/product-id.ts'
import type { Services } from '../../services.ts'
import { htmlPage } from '../html-page.tsx'
import type { WebSettings } from '../settings.ts'
import { GalleryPage } from './gallery-page.tsx'

/** Comments with photos on a page of the gallery. */
const ON_A_PAGE = 24

/** Answers `GET /p/:productId/photos`. */
export async function showGallery(
  c: Context,
  { gallery }: Services,
  settings: WebSettings,
  productId: string,
): Promise<Response> {
  const product = await requireProduct(settings, productId)
  const cursor = c.req.query('cursor')
  const page = await gallery.list({ scope: productId, limit: ON_A_PAGE, ...(cursor === undefined ? {} : { cursor }) })
  return htmlPage(c, <GalleryPage productId={productId} product={product} page={page} />)
}
