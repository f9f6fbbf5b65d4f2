import type { Context } from 'hono'
import { ratingTrend } from '../rating-trend.ts'
import type { Services } from '../services.ts'
import { Document } from './document.tsx'
import { htmlPage } from './html-page.tsx'
import { productPath, trendPath } from './links.ts'
import { ProductTitle } from './product-head.tsx'
import { requireProduct } from './product-id.ts'
import { ProductPicture, type ProductShown } from './product-shown.tsx'
import { readerOf, useWords } from './reader.ts'
import type { WebSettings } from './settings.ts'
import { Trend, type TrendProps } from './trend.tsx'

/** Answers `GET /p/:productId/trend`; the script shows the chart of it on the product's page. */
export async function showTrend(
  c: Context,
  services: Services,
  settings: WebSettings,
  productId: string,
): Promise<Response> {
  const product = await requireProduct(settings, productId)
  const trend = await ratingTrend(services, productId)
  return htmlPage(c, <TrendPage productId={productId} product={product} trend={trend} />, 200, readerOf(c))
}

interface TrendPageProps extends TrendProps {
  readonly productId: string
  readonly product: ProductShown | undefined
}

function TrendPage({ productId, product, trend }: TrendPageProps) {
  const { isolate, say } = useWords()
  const { title } = say.votes.trend
  const of = isolate(product?.name ?? say.product(productId))
  return (
    <Document
      title={`${title} – ${of} – Lapidary`}
      description={`${of}: ${say.votes.trend.chart}`}
      canonical={trendPath(productId)}
      productId={productId}
      hidden
    >
      <div class="wide product">
        <header class="product-head">
          {product === undefined ? null : <ProductPicture product={product} size={96} />}
          <div class="product-what">
            <ProductTitle productId={productId} product={product} />
          </div>
        </header>
        <div class="results results-bare">
          <Trend trend={trend} />
          <nav class="message-links">
            <a class="button" href={productPath(productId)}>
              {say.allComments}
            </a>
          </nav>
        </div>
      </div>
    </Document>
  )
}
