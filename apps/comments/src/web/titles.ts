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

/** Names a page of a list for tabs and search engines: `Halden Nord headphones: comments with 1 and 2 stars in German, page 2`. */
export function titleOf(words: Words, { productId, product, parameters, page }: Listed): string {
  const of = words.isolate(product?.name ?? `${words.say.productHead.product} ${productId}`)
  return `${of}: ${whatOf(words, parameters)}${pageOf(words, page)} – Lapidary`
}

/** Describes in one sentence what is listed. */
export function descriptionOf(words: Words, { productId, product, parameters, page }: Listed): string {
  const { count, isolate, say } = words
  const id = say.product(isolate(productId))
  const { total } = page.page
  return say.description({
    listed: whatOf(words, parameters, total === null ? undefined : count(total, 'comment')),
    of: product === undefined ? id : `${isolate(product.name)} (${id})`,
    page: pageOf(words, page),
    order: say.order[parameters.order],
  })
}

function whatOf(
  { languageName, day, list, number, say }: Words,
  { ratings, language, verified, answered, from, to }: ListParameters,
  comments?: string,
): string {
  const { votes } = say
  const flags = [
    ...(verified === undefined ? [] : [verified ? votes.verified : votes.unverified]),
    ...(answered === undefined ? [] : [answered ? votes.answered : votes.unanswered]),
  ]
  const listed = say.listed({
    comments,
    stars: ratings.length === 0 ? undefined : list(ratings.map(number)),
    language: language && languageName(language),
    from: from && day(from),
    to: to && day(to),
  })
  return flags.length === 0 ? listed : `${listed} (${list(flags)})`
}

function pageOf({ number: shown, say }: Words, { page: { number } }: Listed['page']): string {
  return number === null || number === 1 ? '' : say.pageInTitle(shown(number))
}
