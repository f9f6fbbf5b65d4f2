/** @module lapidary-studio */

export { type Studio, startStudio } from './start-studio.ts'
export type { StudioCollection, StudioFinding, StudioOptions } from './studio-options.ts'
