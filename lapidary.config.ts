import { defineConfig } from 'lapidary-cli'
import { comments } from './apps/comments/src/comment.ts'
import { generateComments } from './apps/comments/src/demo/generate-comments.ts'

export default defineConfig({
  tableName: 'comments',
  collections: { comments },
  generators: { comments: generateComments },
})
