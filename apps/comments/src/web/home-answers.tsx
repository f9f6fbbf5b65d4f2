import type { Context } from 'hono'
import { fiveStarBoard } from '../five-star-board.ts'
import { parseListParameters } from '../list-parameters.ts'
import { productStatistics } from '../product-statistics.ts'
import type { Services } from '../services.ts'
import { HomePage } from './home-page.tsx'
import { htmlPage } from './html-page.tsx'
import type { Leader } from './leaderboard.tsx'
import { answerSearch } from './search/search-answers.tsx'
import type { WebSettings } from './settings.ts'

const LEADERS = 10

/** Answers `GET /`: the search leads on to a product, or to those that may be meant; everything else is the front page. */
export async function showHome(c: Context, services: Services, settings: WebSettings): Promise<Response> {
  const search = new URL(c.req.url).searchParams
  const productId = search.get('product')?.trim()
  if (productId) return answerSearch(c, settings, productId.toWellFormed())
  const { language } = parseListParameters(search)
  const { entries, asOf, rcu } = await fiveStarBoard(services, { language, limit: LEADERS })
  const leaders = await Promise.all(
    (entries ?? []).map(
      async (entry): Promise<Leader> => ({
        ...entry,
        product: await settings.catalogue?.get(entry.productId),
        statistics: await productStatistics(services, entry.productId, language),
      }),
    ),
  )
  const spent = leaders.reduce((sum, { statistics }) => sum + statistics.rcu, rcu)
  return htmlPage(
    c,
    <HomePage language={language} leaders={entries === null ? null : leaders} asOf={asOf} rcu={spent} />,
  )
}
