/** @module lapidary-pages/s3 */

export type { SendToS3 } from './objects.ts'
export { type S3ListsOptions, s3Lists } from './s3-lists.ts'
