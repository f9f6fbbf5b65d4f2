// Every state of the pages, and an application in which each can be had without waiting for it.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { segments } from 'lapidary'
import { openEngine } from 'lapidary-engine'
import { createMetrics } from 'lapidary-http/internal'
import { createHttpServer } from 'lapidary-http/internal/server'
import { pino } from 'pino'
import { createApp } from '../apps/comments/dist/app.js'
import { demoCatalogue } from '../apps/comments/dist/demo/demo-catalogue.js'
import { fillDemoData } from '../apps/comments/dist/demo/fill-demo-data.js'
import { waitUntilCounted } from '../apps/comments/dist/demo/wait-until-counted.js'
import { addPhotoRoutes } from '../apps/comments/dist/http/photo-routes.js'
import { openPhotos } from '../apps/comments/dist/photos/open-photos.js'
import { createServices } from '../apps/comments/dist/services.js'

const TOKEN = 'the-token-of-the-pictures'
const MERGED = '/p/42?rating=1&rating=2&rating=3&language=en'

/** `app` names the application, `visit` what a visitor does first, `at` what is brought into sight, `textSize` how large the reader has text; the rest is for the browser. */
export const STATES = [
  { name: 'front-page', path: '/' },
  { name: 'front-page-in-japanese', path: '/?language=ja' },
  { name: 'front-page-in-german', path: '/', locale: 'de-DE' },
  { name: 'list', path: '/p/42' },
  { name: 'list-in-german', path: '/p/42', locale: 'de-DE' },
  { name: 'front-page-in-arabic', path: '/', locale: 'ar' },
  { name: 'list-in-arabic', path: '/p/42', locale: 'ar' },
  { name: 'list-in-french', path: '/p/42', locale: 'fr-FR' },
  { name: 'list-in-spanish', path: '/p/42', locale: 'es-MX' },
  { name: 'list-in-japanese', path: '/p/42', locale: 'ja-JP' },
  { name: 'filtered', path: MERGED },
  { name: 'filtered-in-arabic', path: MERGED, locale: 'ar' },
  { name: 'large-text', path: '/p/42', textSize: 2 },
  { name: 'large-text-in-german', path: '/p/42', locale: 'de-DE', textSize: 2 },
  { name: 'large-text-in-arabic', path: '/p/42', locale: 'ar', textSize: 2 },
  { name: 'large-text-front-page', path: '/', textSize: 2 },
  { name: 'large-text-plan', path: `${MERGED}&explain=true`, textSize: 2 },
  { name: 'large-text-filter-sheet', path: '/p/42', visit: press('#filters-open'), at: '#filters-sheet', textSize: 2 },
  { name: 'offline', path: '/p/42', visit: turnOffline },
  { name: 'numbered', path: '/p/42?page=8', at: '.pages' },
  { name: 'plan-open', path: `${MERGED}&explain=true` },
  { name: 'plan-open-in-german', path: `${MERGED}&explain=true`, locale: 'de-DE' },
  { name: 'plan-open-in-arabic', path: `${MERGED}&explain=true`, locale: 'ar' },
  { name: 'refused-indexes-in-german', path: '/p/new?explain=true&rating=5', locale: 'de-DE' },
  { name: 'filter-sheet', path: '/p/42?rating=1', visit: press('#filters-open'), at: '#filters-sheet' },
  {
    name: 'filter-sheet-in-german',
    path: '/p/42?rating=1',
    visit: press('#filters-open'),
    locale: 'de-DE',
    at: '#filters-sheet',
  },
  {
    name: 'filter-sheet-in-arabic',
    path: '/p/42?rating=1',
    visit: press('#filters-open'),
    locale: 'ar',
    at: '#filters-sheet',
  },
  { name: 'without-script', path: '/p/42?rating=1', javaScriptEnabled: false },
  { name: 'empty-product', path: '/p/new' },
  { name: 'one-comment', path: '/p/one' },
  { name: 'nothing-passes', path: '/p/one?rating=5&language=de' },
  { name: 'photo', path: '/p/42', visit: press('.photo') },
  { name: 'photo-in-arabic', path: '/p/42', visit: press('.photo'), locale: 'ar' },
  { name: 'gallery', path: '/p/42/photos' },
  { name: 'gallery-empty', path: '/p/new/photos', locale: 'de-DE' },
  { name: 'large-text-gallery', path: '/p/42/photos', textSize: 2 },
  { name: 'comment', path: '/p/long/comments/long' },
  { name: 'long-comments', path: '/p/long' },
  { name: 'right-to-left', path: '/p/42?language=ar' },
  { name: 'past-the-end', path: '/p/42?page=999' },
  { name: 'cursor-error', path: '/p/42?rating=5&cursor=nonsense' },
  { name: 'bad-address', path: '/p/42?rating=9&limit=zz&order=best' },
  { name: 'bad-address-in-german', path: '/p/42?rating=9&limit=zz&order=best', locale: 'de-DE' },
  { name: 'not-found', path: '/nowhere' },
  { name: 'no-such-product', path: '/p/unknown' },
  { name: 'search-results', path: '/?product=headphones' },
  { name: 'search-results-in-german', path: '/?product=nothing', locale: 'de-DE' },
  { name: 'suggestions', path: '/', visit: type('#product', 'halden') },
  { name: 'no-such-comment', path: '/p/42/comments/none', locale: 'de-DE' },
  { name: 'unavailable', path: '/p/42', app: 'away' },
  { name: 'failed', path: '/p/42', app: 'broken' },
  { name: 'counting', path: '/p/42', app: 'counting' },
  { name: 'posted', path: '/p/posted', visit: post({ rating: '4', text: 'It does what it says.', author: 'Wren' }) },
  { name: 'form', path: '/p/42', visit: press('.write-link'), at: '#write' },
  { name: 'form-errors', path: '/p/42', visit: post({ rating: '', text: '', author: '' }), at: '#write' },
  { name: 'form-refused', path: '/p/42', visit: post({ rating: '', text: '', author: '', token: 'a wrong token' }) },
  {
    name: 'form-errors-in-german',
    path: '/p/42',
    visit: post({ rating: '', text: '', author: '' }),
    locale: 'de-DE',
    at: '#write',
  },
  {
    name: 'form-errors-in-arabic',
    path: '/p/42',
    visit: post({ rating: '', text: '', author: '' }),
    locale: 'ar',
    at: '#write',
  },
  { name: 'print', path: '/p/42', media: 'print' },
  { name: 'forced-colours', path: `${MERGED}&explain=true`, forcedColors: 'active' },
  { name: 'api', path: '/docs' },
  { name: 'errors', path: '/docs/errors' },
]

function press(selector) {
  return async (page) => {
    const shown = page.locator(selector).filter({ visible: true })
    if ((await shown.count()) > 0) await shown.first().click()
  }
}

/** Types into a field, and waits for what comes of it. */
function type(selector, text) {
  return async (page) => {
    await page.locator(selector).pressSequentially(text)
    await page.locator('.suggestion').first().waitFor()
  }
}

/** Turns the page without a connection. */
async function turnOffline(page) {
  await page.context().setOffline(true)
  await page.locator('a[rel=next]').first().click()
  await page.locator('#offline:popover-open').waitFor()
}

/** Sends the form as by a browser that checks nothing first. */
function post(fields) {
  return async (page) => {
    await page.evaluate(
      (values) => {
        const form = document.querySelector('#write-form')
        form.noValidate = true
        for (const [name, value] of Object.entries(values)) {
          if (name === 'rating') form.elements.rating.value = value
          else form.elements[name].value = value
        }
      },
      { token: TOKEN, ...fields },
    )
    await Promise.all([page.waitForNavigation(), page.evaluate(() => document.querySelector('#write-form').submit())])
  }
}

const LONG = [
  'I have used it every day for half a year, at home and on two long journeys, and there is a lot to say about that.',
  'The first weeks were hard: the strap had to be shortened twice, and the buckle did not hold what I asked of it. ',
  'Then it settled, and I stopped thinking of it, which is the best that can be said of a thing one carries.',
]

/** Comments of kinds that the demo data lacks. */
const COMMENTS = [
  {
    id: 'one',
    productId: 'one',
    rating: 4,
    language: 'en',
    title: 'So far, so good',
    text: 'Two weeks in.',
    author: 'Wren',
  },
  { id: 'short', productId: 'long', rating: 5, language: 'en', title: '', text: 'Yes.', author: 'Jo' },
  {
    id: 'long',
    productId: 'long',
    rating: 3,
    language: 'en',
    title: 'A long story',
    text: Array(4).fill(LONG).flat().join('\n\n'),
    author: 'Ingrid Björk',
  },
  {
    id: 'wide',
    productId: 'long',
    rating: 1,
    language: 'de',
    title: 'W'.repeat(90),
    text: 'Donaudampfschifffahrtsgesellschaft'.repeat(12),
    author: 'x'.repeat(80),
  },
  {
    id: 'arabic',
    productId: 'long',
    rating: 2,
    language: 'ar',
    title: 'ممتاز جدا',
    text: 'جودة عالية ووصل بسرعة، شكرا لكم. '.repeat(20),
    author: 'عائشة',
  },
]

/** Starts the applications on one database in memory, calls `use(addressOf)`, and ends them. */
export async function withStates(use) {
  const engine = await openEngine({})
  const client = new DynamoDBClient(engine.clientConfig)
  const files = new Map()
  const photos = openPhotos({
    write: async (name, bytes) => void files.set(name, bytes),
    read: async (name) => files.get(name),
    remove: async (name) => void files.delete(name),
  })
  const services = createServices({
    photos,
    ...{ client, tableName: 'comments', cursorSecret: 'a secret of the pictures' },
    derived: { counts: true, pages: segments() },
    stream: { immediate: true },
  })
  await services.database.table.create()
  const poller = await services.database.stream.start()
  const counted = () => waitUntilCounted(poller, Date.now(), { patienceMs: 120_000 })
  await fillDemoData(services.comments, { counted, photos })
  for (const comment of COMMENTS) await services.comments.create(comment)
  await counted()

  const raising = (error) => ({
    ...services,
    comments: { ...services.comments, list: () => Promise.reject(error), page: () => Promise.reject(error) },
  })
  const apps = {
    usual: services,
    counting: { ...services, countsBehind: () => 12 * 60_000 },
    away: raising(Object.assign(new Error('the database is away'), { code: 'ECONNREFUSED' })),
    broken: raising(new Error('a mistake')),
  }
  const demo = demoCatalogue()
  // Those beside the demo's have comments of a kind that it lacks.
  const others = ['new', 'one', 'long', 'posted']
  const catalogue = {
    ...demo,
    get: (id) => demo.get(id) ?? (others.includes(id) ? { id, name: `Product ${id}` } : undefined),
  }
  const servers = await Promise.all(
    Object.entries(apps).map(async ([name, of]) => {
      const app = createApp(of, {
        tokens: { admin: 'no-token-of-the-pictures', writer: TOKEN },
        logger: pino({ level: 'silent' }),
        metrics: createMetrics({ process: false }),
        readiness: { table: async () => ({ ok: true }) },
        catalogue,
        photoRoutes: addPhotoRoutes,
      })
      const server = createHttpServer()
      const port = await server.listen(app.fetch, { host: '127.0.0.1', port: 0 })
      return [name, { server, address: `http://127.0.0.1:${port}` }]
    }),
  )
  try {
    await use((name = 'usual') => Object.fromEntries(servers)[name].address)
  } finally {
    for (const [, { server }] of servers) await server.drain()
    await poller.close()
    client.destroy()
    await engine.close()
  }
}
