import { Hono } from 'hono'
import { type Counts, type Item, LapidaryError, type Page } from 'lapidary'
import type { RequestLog, SentRequest } from 'lapidary-http/internal/pages'
import { type Problem, problemOf } from '../web/problem.tsx'
import { collectionNamed, htmlPage, type NamedCollection, type StudioContext } from '../web/studio-context.tsx'
import { listPath, type Parameters } from './address.ts'
import { BrowsePage } from './browse-page.tsx'
import { readColumnCounts } from './read-counts.ts'
import { readQuery } from './read-query.ts'
import { readScopes } from './read-scopes.ts'
import { ScopesPage } from './scopes-page.tsx'

/** What a request says that waits for counts (RFC 7240). */
const WAIT = 'wait=60'
const MOST_PATIENCE = 60_000
/** Milliseconds that a page waits for counts: those of some ten thousand items are there by then. */
const PATIENCE = 100
/** Seconds after which a page without its counts asks for itself anew, where no script does. */
const REFRESH_SECONDS = 3

/** The pages of lists: the way in, and a list with its filter. */
export function browseRoutes(studio: StudioContext): Hono {
  const routes = new Hono()
  routes.get('/', (context) => {
    const [first = ''] = Object.keys(studio.options.collections)
    return context.redirect(listPath(first, new URLSearchParams()))
  })
  routes.get('/c/:name', async (context) => {
    const of = collectionNamed(studio, context.req.param('name'))
    if (of === undefined) return context.notFound()
    const { name, memory } = of
    const asked = new URL(context.req.url).searchParams
    const parameters = tidied(asked)
    // A form sends fields that are empty; the address of a list is without them.
    if (parameters.toString() !== asked.toString()) return context.redirect(listPath(name, parameters), 303)
    if (!parameters.has('scope') && !parameters.has('all')) {
      const props = await readScopes(of)
      return htmlPage(
        context,
        studio,
        { title: name, name, part: 'browse' },
        <ScopesPage {...of} {...props} known={memory.scopes()} />,
      )
    }
    // The script of the page comes back for counts that took longer than the page, and waits for them.
    const patience = context.req.header('Prefer') === WAIT ? MOST_PATIENCE : PATIENCE
    const { requests: log, endpoint } = studio.options
    const { page, counts, isCounting, problem, requests } = await readList(of, parameters, {
      ...{ patience, signal: context.req.raw.signal, log },
    })
    const title = `${parameters.getAll('scope').join(', ') || 'all'} in ${name}`
    const known = memory.scopes()
    return htmlPage(
      context,
      studio,
      { title, name, part: 'browse', refresh: isCounting ? REFRESH_SECONDS : undefined },
      <BrowsePage {...of} {...{ parameters, known, page, counts, isCounting, problem, requests, endpoint }} />,
      problem?.status ?? 200,
    )
  })
  return routes
}

/** Returns the parameters that say something: no empty ones, and the columns in one. */
function tidied(asked: Parameters): Parameters {
  const columns = asked.getAll('col')
  const kept = [...asked].filter(([name, value]) => name !== 'col' && value !== '')
  return new URLSearchParams(columns.length === 0 ? kept : [...kept, ['cols', columns.join(',')]])
}

interface ReadList {
  readonly page: Page<Item> | undefined
  readonly counts: Counts | undefined
  /** Whether counts are on their way. */
  readonly isCounting: boolean
  readonly problem: Problem | undefined
  /** What was sent for the page; empty where nothing notes it. */
  readonly requests: readonly SentRequest[]
}

/** How a list is read. */
interface ReadingOptions {
  readonly patience: number
  readonly signal: AbortSignal
  readonly log: RequestLog | undefined
}

async function readList(
  { collection, client, memory, countedLists }: NamedCollection,
  parameters: Parameters,
  { patience, signal, log }: ReadingOptions,
): Promise<ReadList> {
  try {
    const { query, page: number, cursor, maxCapacity } = readQuery(collection, parameters)
    // The types of a query follow a declaration, which is not known here.
    const asked = { ...(query as { scope: string }), maxCapacity, signal }
    const read = async (): Promise<Page<Item>> =>
      (await (number === undefined
        ? client.list({ ...asked, cursor })
        : client.page(number, asked as never))) as Page<Item>
    const { value: page, requests } = log === undefined ? { value: await read(), requests: [] } : await log.follow(read)
    memory.note(query, page.items)
    // Counting reads all that a scope has in its columns, so the page does not wait long for it.
    const count = () => readColumnCounts({ collection, client }, query)
    const counted = await countedLists.known(query, { count, asOf: page.asOf, patience })
    return { page, ...counted, problem: undefined, requests }
  } catch (error) {
    const problem = problemOf(error)
    if (problem === undefined || !(error instanceof Error)) throw error
    return { page: undefined, counts: undefined, isCounting: false, problem: hinted(problem, error), requests: [] }
  }
}

/** Adds what to do where pages have no numbers. */
function hinted(problem: Problem, error: Error): Problem {
  const isOfNumbers = error instanceof LapidaryError && error.code === 'not_implemented'
  return isOfNumbers
    ? { ...problem, message: `${problem.message} Next and Previous go through the list without.` }
    : problem
}
