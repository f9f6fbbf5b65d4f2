/** @module lapidary-studio */

export { createRequestLog, type RequestLog } from 'lapidary-http/internal/pages'
export { type Studio, startStudio } from './start-studio.ts'
export type { StudioCollection, StudioFinding, StudioOptions } from './studio-options.ts'
