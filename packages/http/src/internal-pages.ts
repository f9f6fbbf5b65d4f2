/**
 * What the pages of Lapidary's own programs share: their styles, how their files are served, the headers of their answers, and the pictures of a plan.
 * They are no part of what the package promises.
 *
 * @module lapidary-http/internal/pages
 */

export { type AwsCommandOptions, awsCommand } from './pages/aws-command.ts'
export { type CostPart, costliestOf, costParts, millionPages } from './pages/cost-parts.ts'
export { CostStrip, type CostStripProps } from './pages/cost-strip.tsx'
export { GEM } from './pages/gem.ts'
export type { PictureFormat } from './pages/picture-format.ts'
export { PICTURE_IN_ENGLISH, type PictureWords } from './pages/picture-words.ts'
export { colourOf, isBeside, isOver, type PlanRow, planRows, sourcesOf, stepText } from './pages/plan-rows.ts'
export { type RequestRound, roundsOf } from './pages/request-rounds.ts'
export { createRequestLog, type RequestLog, type SentFor, type SentRequest } from './pages/sent-requests.ts'
export { SentRequests, type SentRequestsProps } from './pages/sent-requests-list.tsx'
export { SHARED_STYLES } from './pages/shared-styles.ts'
export { ASSET_TYPES, type Asset, createStaticAssets, type StaticAssets } from './pages/static-assets.ts'
export { securityHeaders } from './security-headers.ts'
