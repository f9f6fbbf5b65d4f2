import { defineConfig } from 'lapidary-cli'
import { comments } from './apps/comments/src/comment.ts'
import { generateComments } from './apps/comments/src/demo/generate-comments.ts'
import { openPageStore } from './apps/comments/src/page-index.ts'

// As the server has it: a command that follows the stream keeps the same page index.
const { PAGE_INDEX: pageIndex = 'dynamodb', REDIS_URL: redisUrl } = process.env
const pages = openPageStore({ pageIndex, redisUrl }, (error) =>
  console.error(`lapidary: Redis is away: ${error.message}`),
)

export default defineConfig({
  tableName: 'comments',
  collections: { comments },
  generators: { comments: generateComments },
  ...(pages === undefined ? {} : { derived: { pages } }),
})
