import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { Services } from '../services.ts'
import { assetRoutes } from './assets.ts'
import { answerError } from './error-answers.tsx'
import { showHome } from './home-answers.tsx'
import { htmlPage } from './html-page.ts'
import { productPath } from './links.ts'
import { MessagePage } from './message-page.tsx'
import { publishComment, showProduct } from './product-answers.tsx'
import type { WebSettings } from './settings.ts'

/** A comment of the greatest length, in the widest characters, percent-encoded. */
const MAX_FORM_BYTES = 256 * 1024

/** The pages that people see: `/`, `/p/:productId`, its form, and `/assets/*`. Mount at the root. */
export function webRoutes(services: Services, settings: WebSettings): Hono {
  const routes = new Hono()
  routes.onError((error, c) => answerError(c, error, settings))
  routes.route('/', assetRoutes())

  routes.get('/', (c) => showHome(c, services))

  routes.get('/p', (c) => c.redirect('/', 303))
  routes.get('/p/:productId', (c) => showProduct(c, services, settings, c.req.param('productId')))

  const tooLarge = bodyLimit({
    maxSize: MAX_FORM_BYTES,
    onError: (c) => {
      const back = productPath(c.req.param('productId') ?? '')
      const links = [{ href: back, text: 'Back to the comments' }]
      return htmlPage(
        c,
        <MessagePage title="Too long" text="A comment has at most 10,000 characters." links={links} />,
        413,
      )
    },
  })
  routes.post('/p/:productId/comments', tooLarge, (c) =>
    publishComment(c, services, settings, c.req.param('productId')),
  )
  return routes
}
