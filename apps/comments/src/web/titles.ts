import type { Page } from 'lapidary'
import type { ListParameters } from '../list-parameters.ts'
import type { ProductShown } from './product-shown.tsx'
import type { Words } from './words.ts'

interface Listed {
  readonly productId: string
  readonly product: ProductShown | undefined
  readonly parameters: ListParameters
  readonly page: Pick<Page<unknown>, 'page'>
}

/** What a page of a list is called in tabs and by search engines: `Halden Nord headphones: 1 and 2 star comments in German, page 2`. */
export function titleOf(words: Words, { productId, product, parameters, page }: Listed): string {
  const of = product?.name ?? `Product ${productId}`
  return `${of}: ${whatOf(words, parameters)}${pageOf(words, page)} – Lapidary`
}

/** One sentence on what is listed. */
export function descriptionOf(words: Words, { productId, product, parameters, page }: Listed): string {
  const of = product === undefined ? `product ${productId}` : `${product.name} (product ${productId})`
  const total = page.page.total === null ? '' : `${words.number(page.page.total)} `
  return `${total}${whatOf(words, parameters)} on ${of}${pageOf(words, page)}, ${parameters.order} first.`
}

function whatOf({ languageName, day }: Words, { ratings, language, from, to }: ListParameters): string {
  const stars =
    ratings.length === 0
      ? ''
      : `${ratings.length === 1 ? ratings[0] : `${ratings.slice(0, -1).join(', ')} and ${ratings.at(-1)}`} star `
  return [
    `${stars}comments`,
    ...(language === undefined ? [] : [`in ${languageName(language)}`]),
    ...(from === undefined ? [] : [`from ${day(from)}`]),
    ...(to === undefined ? [] : [`before ${day(to)}`]),
  ].join(' ')
}

function pageOf(words: Words, { page: { number } }: Listed['page']): string {
  return number === null || number === 1 ? '' : `, page ${words.number(number)}`
}
