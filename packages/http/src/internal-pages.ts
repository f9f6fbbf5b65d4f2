/**
 * What the pages of Lapidary's own programs share: their styles, how their files are served, the headers of their answers, and the rows of a plan.
 * They are no part of what the package promises.
 *
 * @module lapidary-http/internal/pages
 */

export { GEM } from './pages/gem.ts'
export { colourOf, isBeside, isOver, type PlanRow, planRows, sourcesOf, stepText } from './pages/plan-rows.ts'
export { SHARED_STYLES } from './pages/shared-styles.ts'
export { ASSET_TYPES, type Asset, createStaticAssets, type StaticAssets } from './pages/static-assets.ts'
export { securityHeaders } from './security-headers.ts'
