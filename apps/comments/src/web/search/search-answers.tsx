import type { Context } from 'hono'
import { requireProductId } from '../../catalogue/product-id.ts'
import { htmlPage } from '../html-page.tsx'
import { productPath } from '../links.ts'
import { ReaderContext, readerOf } from '../reader.ts'
import type { WebSettings } from '../settings.ts'
import { SearchPage } from './search-page.tsx'
import { Suggestions } from './suggestions.tsx'

/** The most products of a page of results; who sees that many types another word. */
const MOST_RESULTS = 50
/** The most products below the field: more hide the page, and are slow to go through by keyboard. */
const MOST_SUGGESTIONS = 8

/**
 * Answers a search by what was typed: an id leads to its product, anything else to the products that have it in their names. Without a catalogue
 * everything is an id.
 */
export async function answerSearch(c: Context, { catalogue }: WebSettings, typed: string): Promise<Response> {
  if (catalogue === undefined) return c.redirect(productPath(requireProductId(typed)), 303)
  if ((await catalogue.get(typed)) !== undefined) return c.redirect(productPath(typed), 303)
  const products = await catalogue.find(typed, MOST_RESULTS)
  return htmlPage(c, <SearchPage typed={typed} products={products.slice(0, MOST_RESULTS)} most={MOST_RESULTS} />)
}

/** Answers `GET /suggestions?product=…`: the options below the field, as a part of a page. */
export async function suggest(c: Context, { catalogue }: WebSettings): Promise<Response> {
  const typed = c.req.query('product')?.trim().toWellFormed() ?? ''
  const products = typed === '' ? [] : ((await catalogue?.find(typed, MOST_SUGGESTIONS)) ?? [])
  const reader = readerOf(c)
  const options = await (
    <ReaderContext.Provider value={reader}>
      <Suggestions products={products.slice(0, MOST_SUGGESTIONS)} />
    </ReaderContext.Provider>
  ).toString()
  c.header('Cache-Control', 'private, max-age=60')
  c.header('Vary', 'Accept-Language', { append: true })
  return c.html(options)
}
