import type { Context } from 'hono'
import { requireProduct } from '../catalogue/product-id.ts'
import { ratingTrend } from '../rating-trend.ts'
import type { Services } from '../services.ts'
import { htmlPage } from './html-page.tsx'
import { trendPath } from './links.ts'
import type { ProductShown } from './product-shown.tsx'
import { readerOf, useWords } from './reader.ts'
import type { WebSettings } from './settings.ts'
import { SheetPage } from './sheet-page.tsx'
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
  const { title, chart } = say.votes.trend
  const of = isolate(product?.name ?? say.product(productId))
  return (
    <SheetPage
      title={`${title} – ${of}`}
      description={`${of}: ${chart}`}
      canonical={trendPath(productId)}
      of={{ productId, product }}
    >
      <Trend trend={trend} />
    </SheetPage>
  )
}
