import { defineConfig } from 'lapidary-cli'
import { commentsIn } from './apps/comments/src/comment.ts'
import { generateComments } from './apps/comments/src/demo/generate-comments.ts'
import { openPageStore } from './apps/comments/src/page-index.ts'

const { PAGE_INDEX: pageIndex = 'dynamodb', PAGE_INDEX_FOLDER: pageIndexFolder } = process.env
const { REDIS_URL: redisUrl, DATABASE_URL: databaseUrl, PAGE_INDEX_BUCKET: pageIndexBucket } = process.env

export default defineConfig({
  tableName: 'comments',
  collections: { comments: commentsIn(process.env.LAYOUT) },
  generators: { comments: generateComments },
  // As the server has it: a command that follows the stream keeps the same page index.
  derived({ dataDir }) {
    const pages = openPageStore(
      { pageIndex, redisUrl, databaseUrl, dataDir, pageIndexFolder, pageIndexBucket },
      (error) => console.error(`lapidary: the page index is away: ${error.message}`),
    )
    return pages === undefined ? {} : { pages }
  },
})
