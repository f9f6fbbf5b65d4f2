import { randomUUID } from 'node:crypto'
import type { Context } from 'hono'
import { getCookie } from 'hono/cookie'
import { LapidaryError, type Page } from 'lapidary'
import { requireProduct } from '../catalogue/product-id.ts'
import { commentIdSchema } from '../comment.ts'
import { type Highlights, highlights } from '../highlights.ts'
import { type ListParameters, parseListParameters } from '../list-parameters.ts'
import { readList } from '../read-list.ts'
import type { Services } from '../services.ts'
import { type ShownComment, shownComment } from '../shown-comment.ts'
import type { CommentFormProps } from './comment-form.tsx'
import { defaultOrderOf } from './default-order.ts'
import { htmlPage } from './html-page.tsx'
import { isFiltered } from './links.ts'
import { lastPageBefore } from './page-numbers.ts'
import { ownShown } from './people/own-answers.tsx'
import { noteOwn } from './people/visitor-shown.ts'
import { STRIP_PHOTOS, type StripShown } from './photos/photo-strip.tsx'
import { type FormValues, POSTED_COOKIE } from './posted-comment.ts'
import { ProductPage, type ProductPageProps } from './product-page.tsx'
import { readerOf } from './reader.ts'
import { findRelaxations } from './relaxations.ts'
import type { WebSettings } from './settings.ts'
import { votedId, votingOf } from './voting.ts'
import { COMMON_LANGUAGES } from './words.ts'

/** Answers `GET /p/:productId`. */
export async function showProduct(
  c: Context,
  services: Services,
  settings: WebSettings,
  productId: string,
): Promise<Response> {
  const search = new URL(c.req.url).searchParams
  // What can't be read is refused before anything is read.
  const { language } = parseListParameters(search)
  await requireProduct(settings, productId)
  const inOrder = () =>
    services.requests.beside('order', async () =>
      parseListParameters(search, await defaultOrderOf(services, productId, search)),
    )
  const values = emptyForm(language ?? writingLanguage(readerOf(c).languages))
  return answerList(c, services, settings, productId, inOrder, { values, errors: {} }, 200)
}

/**
 * Answers with a product's page with a list, and with the form as it was sent. What is read to find the parameters counts among the page's requests.
 */
export async function answerList(
  c: Context,
  services: Services,
  settings: WebSettings,
  productId: string,
  findParameters: () => Promise<ListParameters>,
  form: Pick<CommentFormProps, 'values' | 'errors' | 'problem'>,
  status: 200 | 409 | 422,
): Promise<Response> {
  const { value: props, requests } = await services.requests.follow(async () =>
    readProduct(c, services, settings, productId, await findParameters(), status),
  )
  return htmlPage(c, <ProductPage {...props} requests={requests} form={form} />, status)
}

/** Reads what a product's page shows. */
async function readProduct(
  c: Context,
  services: Services,
  settings: WebSettings,
  productId: string,
  parameters: ListParameters,
  status: 200 | 409 | 422,
): Promise<Omit<ProductPageProps, 'requests' | 'form'>> {
  const { requests } = services
  const reader = readerOf(c)
  const own = postedId(c)
  const written = [...new Set([own, votedId(c)])].filter((id) => id !== undefined)
  const [page, voting, mine, photos, product] = await Promise.all([
    readList(services, productId, parameters, { written: written.length === 0 ? undefined : written }),
    requests.beside('votes', () => votingOf(c, services, settings, productId)),
    requests.beside('own', () => ownShown(c, settings, productId)),
    requests.beside('gallery', () => stripOf(services, productId, parameters)),
    requireProduct(settings, productId),
  ])
  noteOwn(c, mine?.comment.id)
  // The browser that posted has the cookie; others that get the address do not.
  const search = new URL(c.req.url).searchParams
  const isNews = own !== undefined && search.get('posted') === own
  const posted = isNews ? await requests.beside('posted', () => findPosted(services, productId, own, page)) : undefined
  const isEmptyList = page.items.length === 0 && lastPageBefore(page.page) === undefined
  const relaxations = isEmptyList
    ? ((await withinCapacity(
        requests.beside('suggestions', () => findRelaxations(services, productId, parameters, reader.words)),
      )) ?? [])
    : []
  return {
    productId,
    product,
    parameters,
    page,
    layout: services.layout,
    numbered: services.numbered,
    countsBehind: services.countsBehind(),
    relaxations,
    posted: posted && { posted, countsFollow: mayMiss(page, posted, settings.clock?.() ?? Date.now()) },
    highlights:
      status === 200
        ? await withinCapacity(
            requests.beside('highlights', () =>
              highlightsBeside(services, productId, parameters, page, reader.languages),
            ),
          )
        : undefined,
    photos,
    own: mine,
    notice: search.get('done') === 'deleted' ? reader.words.say.people.own.removed : undefined,
    voting,
  }
}

/** Reads the newest photos, which stand above a first page without a filter. */
async function stripOf(
  { gallery, photos }: Services,
  productId: string,
  parameters: ListParameters,
): Promise<StripShown | undefined> {
  const { cursor, page = 1 } = parameters
  if (photos === undefined || isFiltered(parameters) || cursor !== undefined || page > 1) return undefined
  const { items, cursors } = await gallery.list({ scope: productId, limit: STRIP_PHOTOS })
  return { entries: items, hasMore: cursors.next !== null }
}

/** Leaves out what stands beside a list where the list has taken all that its request may read. */
async function withinCapacity<T>(reading: Promise<T> | undefined): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof LapidaryError && error.code === 'capacity_exhausted') return undefined
    throw error
  }
}

/** The most milliseconds from the time of a comment until a reader of the stream can see it. */
const WRITE_MS = 250
/** Milliseconds after which a late count has another reason, so that the reader is not told to wait for it. */
const FOLLOW_MS = 30_000

/** Tells whether the counts on a page may lack a comment. */
function mayMiss({ facets, asOf, plan }: Page<ShownComment>, { createdAt }: ShownComment, now: number): boolean {
  const postedAt = Date.parse(createdAt)
  if (now - postedAt > FOLLOW_MS) return false
  // Counts that are behind what the page shows are not shown; counts that are being rebuilt take longer.
  if (facets === null) return plan.statisticsRcu !== null && !plan.notes.some(({ kind }) => kind === 'unknown')
  return asOf === null || Date.parse(asOf) < postedAt + WRITE_MS
}

/**
 * Finds highlights for a first page of all ratings, in the language of the reader where there are some. Most are on the page itself and cost
 * nothing; a reader who filters by rating or pages on has seen them.
 */
async function highlightsBeside(
  services: Services,
  productId: string,
  { language, ratings, order, from, to, cursor, page }: ListParameters,
  { items, cursors, facets }: Page<ShownComment>,
  languages: readonly string[],
): Promise<Highlights | undefined> {
  if (items.length === 0 || ratings.length > 0 || [from, to, cursor].some((given) => given !== undefined)) return
  if (page !== undefined && page > 1) return
  const complete = cursors.next === null
  const newest = order === 'newest' ? items : complete ? items.toSorted(byTime) : undefined
  const of = (language: string | undefined, items = newest) =>
    highlights(services, productId, language, items && { items, complete })
  const own = language === undefined ? languages.find((tag) => (facets?.language?.[tag] ?? 0) > 0) : undefined
  if (own === undefined) return of(language)
  const read = await of(
    own,
    newest?.filter(({ language }) => language === own),
  )
  if (read.positive !== null && read.critical !== null) return read
  const any = await of(undefined)
  return {
    ...read,
    positive: read.positive ?? any.positive,
    critical: read.critical ?? any.critical,
    rcu: read.rcu + any.rcu,
  }
}

function byTime(a: ShownComment, b: ShownComment): number {
  return a.createdAt === b.createdAt ? 0 : a.createdAt < b.createdAt ? 1 : -1
}

/** Returns the language that a reader probably writes: the one that they like best. */
function writingLanguage([best = 'en']: readonly string[]): string {
  return COMMON_LANGUAGES.some((tag) => tag === best) ? best : best.replace(/-.*/, '')
}

/** Returns the id of the comment that this visitor has just published. */
function postedId(c: Context): string | undefined {
  return commentIdSchema.safeParse(getCookie(c, POSTED_COOKIE)).data
}

/** Finds the comment that this visitor has just published: on the page, or, where it belongs on another, in the table. */
async function findPosted(
  services: Services,
  productId: string,
  id: string,
  { items }: Page<ShownComment>,
): Promise<ShownComment | undefined> {
  const listed = items.find((comment) => comment.id === id)
  if (listed !== undefined) return listed
  try {
    const comment = shownComment(await services.comments.get(id))
    return comment.productId === productId ? comment : undefined
  } catch (error) {
    if (error instanceof LapidaryError && error.code === 'not_found') return undefined
    throw error
  }
}

function emptyForm(language: string): FormValues {
  return { rating: '', language, title: '', text: '', author: '', idempotencyKey: randomUUID() }
}
