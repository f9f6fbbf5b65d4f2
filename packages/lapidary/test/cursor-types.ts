import type { CollectionClient, LeaderboardPage, Page } from 'lapidary'
import type { Comment, comments } from './comments-fixture.ts'

type Client = CollectionClient<Comment, typeof comments.facets>

/** Only compiled: a page's cursor goes into the next query as it is, in each way to write a loop. */
export async function loops(client: Client): Promise<void> {
  let cursor: string | null = null
  do {
    const found: Page<Comment> = await client.list({ scope: '42', cursor })
    cursor = found.cursors.next
  } while (cursor !== null)

  let page: Page<Comment> | undefined
  do page = await client.list({ scope: '42', cursor: page?.cursors.next })
  while (page.cursors.next !== null)

  let each = await client.list({ scope: '42', cursor: null, attributes: ['id'] })
  while (each.cursors.next !== null)
    each = await client.list({ scope: '42', cursor: each.cursors.next, attributes: ['id'] })

  let board: LeaderboardPage | undefined
  do board = await client.leaderboard({ name: 'five-star', cursor: board?.cursors.next })
  while (board.cursors.next !== null)
}
