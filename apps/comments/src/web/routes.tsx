import { Hono } from 'hono'
import type { Services } from '../services.ts'
import { ASSETS } from './assets.ts'
import { showComment } from './comment-answers.tsx'
import { showHome } from './home-answers.tsx'
import { chooseLanguage } from './language-answers.ts'
import { addPeoplePages, addVisitors } from './people/people-web-routes.ts'
import { showGallery } from './photos/gallery-answers.tsx'
import { showProduct } from './product-answers.tsx'
import { publishComment } from './publish-answers.tsx'
import { loadsWords, searchesByName, takesPhotos } from './reader.ts'
import { suggest } from './search/search-answers.tsx'
import type { WebSettings } from './settings.ts'
import { showTrend } from './trend-answers.tsx'
import { castVote } from './vote-answers.ts'

/**
 * Serves the pages that people see: `/`, the search, `/p/:productId`, its form, each comment, the switch of languages, and `/assets/*`. Mount them at the root of an application
 * whose `onError` answers their errors, as `problemPage` does.
 */
export function webRoutes(services: Services, settings: WebSettings): Hono {
  const routes = new Hono()
  routes.use(loadsWords())
  routes.route('/', ASSETS.routes())

  const { limitWork = (work) => work(), catalogue } = settings
  if (catalogue !== undefined) routes.use(searchesByName())
  if (services.photos !== undefined) routes.use(takesPhotos())
  // Their answers depend on no visitor.
  routes.get('/suggestions', (c) => suggest(c, settings))
  routes.post('/language', (c) => chooseLanguage(c))
  addVisitors(routes, settings)

  routes.get('/', (c) => limitWork(() => showHome(c, services, settings)))

  routes.get('/p', (c) => c.redirect('/', 303))
  routes.get('/p/:productId', (c) => limitWork(() => showProduct(c, services, settings, c.req.param('productId'))))
  routes.get('/p/:productId/comments/:commentId', (c) => {
    const { productId, commentId } = c.req.param()
    return limitWork(() => showComment(c, services, settings, { productId, commentId }))
  })
  routes.post('/p/:productId/comments', (c) => publishComment(c, services, settings, c.req.param('productId')))
  routes.post('/p/:productId/comments/:commentId/vote', (c) => {
    const { productId, commentId } = c.req.param()
    return castVote(c, services, settings, { productId, commentId })
  })
  if (services.photos !== undefined) {
    routes.get('/p/:productId/photos', (c) =>
      limitWork(() => showGallery(c, services, settings, c.req.param('productId'))),
    )
  }
  routes.get('/p/:productId/trend', (c) => limitWork(() => showTrend(c, services, settings, c.req.param('productId'))))
  addPeoplePages(routes, services, settings)
  return routes
}
