/**
 * A search for words that no attribute has, with `having`: of a product with few reviews the browser reads all of them once, keeps them, and
 * searches by itself; of one with many the server does. `SERVE=1` leaves the page up to be looked at.
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { compare, forEach, openExample, show } from '../example.ts'
import { havingWords } from './page/having.js'
import { all, reviews } from './reviews.ts'
import { createSearchServer, type FoundReviews } from './server.ts'

await using database = await openExample({ reviews })
const { lapidary } = database
await forEach(all, (review) => lapidary.reviews.create(review))
const having = havingWords('weak battery')
const expected = (product: string) =>
  all.filter((review) => review.productId === product && having(review)).toReversed()

await show(
  'Reviews of p2 with the words weak and battery, judged by the server: 400,000 bytes are read for a page at most',
  (cursor) => lapidary.reviews.list({ scope: 'p2', having, maxBytes: 400_000, cursor }),
  expected('p2'),
)

const server = createSearchServer(lapidary.reviews).listen(Number(process.env.PORT ?? 0), '127.0.0.1')
await once(server, 'listening')
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

console.log('\nReviews of p1, as the browser asks for them: all at once, to keep')
const answer = await fetch(`${address}/reviews?product=p1&words=weak%20battery`)
const { whole, items, rcu } = (await answer.json()) as FoundReviews
console.log(`  ${rcu} RCU, ${items.length} reviews, whole: ${whole}; any further search takes 0 RCU and no request`)
compare(items.filter(having), expected('p1'))

if (process.env.SERVE === '1') {
  console.log(`\n${address}`)
  await once(process, 'SIGINT')
}
server.closeAllConnections()
server.close()
