/** @module lapidary/layouts */

export { eachOfFacet, facetValueOf, facetValuesOf } from '../model/facet-values.ts'
export { escapeComponent } from '../model/key-text.ts'
export { compareBounds, positionOf } from '../model/position.ts'
export { type Filter, knownSelection, type Selection } from '../model/query.ts'
export { primaryKey } from '../model/stored-item.ts'
export {
  type IndexDefinition,
  type KeyAttribute,
  type TextIndexDefinition,
  type TextKeys,
  textIndex,
} from './index-definition.ts'
export type {
  AccessPath,
  AccessPaths,
  Assembly,
  CollectionLayout,
  Duplicates,
  KeyCondition,
  KnownValues,
  Layout,
  LayoutCapabilities,
  List,
  Lists,
  RefusedPath,
} from './layout.ts'
export { positionText } from './position-text.ts'
export type { Refusal } from './refusal.ts'
export { textKeyCondition, textPosition } from './text-keys.ts'
