import { readFile } from 'node:fs/promises'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { Lapidary } from 'lapidary'
import { havingWords } from './page/having.js'
import type { Review, reviews } from './reviews.ts'

/** The answer for the browser. */
export interface FoundReviews {
  /** Whether these are all reviews of the product, for the browser to keep and to search by itself. */
  readonly whole: boolean
  readonly items: readonly Review[]
  readonly rcu: number
}

type Reviews = Lapidary<{ reviews: typeof reviews }>['reviews']

/** The most bytes of a product that the browser keeps. */
const MOST_BYTES = 32_000
/** The most bytes that a search reads of a large product. */
const MOST_SEARCHED_BYTES = 400_000
const LIMIT = 100

/**
 * All reviews of a product where they are few bytes; else a page of those that have the words, judged here. No attribute says which words a
 * text has, so no index can answer: everything is read either way, and where it is little, once is enough.
 */
export async function findReviews(reviews: Reviews, scope: string, words: string): Promise<FoundReviews> {
  const all = await reviews.list({ scope, limit: LIMIT, having: () => true, maxBytes: MOST_BYTES })
  const rcu = all.plan.actual?.rcu ?? 0
  if (all.cursors.next === null) return { whole: true, items: all.items, rcu }
  const found = await reviews.list({
    scope,
    limit: 20,
    having: havingWords(words) as (review: Review) => boolean,
    maxBytes: MOST_SEARCHED_BYTES,
  })
  return { whole: false, items: found.items, rcu: rcu + (found.plan.actual?.rcu ?? 0) }
}

const FILES: Readonly<Record<string, readonly [file: string, type: string]>> = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/search.js': ['search.js', 'text/javascript'],
  '/having.js': ['having.js', 'text/javascript'],
}

/** Serves the page, and what it asks for. */
export function createSearchServer(reviews: Reviews): Server {
  return createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    answer(pathname, searchParams, reviews, response).catch((error: unknown) => {
      console.error(error)
      response.writeHead(500).end()
    })
  })
}

async function answer(path: string, asked: URLSearchParams, reviews: Reviews, response: ServerResponse): Promise<void> {
  const [file, type] = FILES[path] ?? []
  if (file !== undefined) {
    response.writeHead(200, { 'content-type': type }).end(await readFile(new URL(`page/${file}`, import.meta.url)))
  } else if (path === '/reviews') {
    const found = await findReviews(reviews, asked.get('product') ?? '', asked.get('words') ?? '')
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(found))
  } else {
    response.writeHead(404).end()
  }
}
