/**
 * Parts of the library that Lapidary's own packages are built from. They are no part of what the library promises: a name may
 * change or go in any release, and those packages ask for exactly this version.
 *
 * @module lapidary/internal
 */

export { declaredTable } from './declared-table.ts'
export { isBeyond } from './derived/change.ts'
export { type SupposedEntry, supposedCounts } from './derived/counts/supposed-counts.ts'
export { settleDuplicates } from './duplicates/settle-duplicates.ts'
export { itemsLacking, type MergedSource, mergeCertain } from './executor/merge.ts'
export { type SeenSource, topUp } from './executor/top-up.ts'
export { type IndexDefinition, keyAttributes } from './layouts/index-definition.ts'
export type { CollectionLayout, List } from './layouts/layout.ts'
export type { AttributeCodec } from './model/attribute-codec.ts'
export { addedDecimals, plainDecimal } from './model/decimal.ts'
export { createEntryCodec, entryBytes } from './model/entry.ts'
export { heldValue } from './model/facet-origin.ts'
export {
  eachOfFacet,
  facetValueOf,
  facetValuesOf,
  itemProblem,
  typedValue,
  valueProblem,
} from './model/facet-values.ts'
export { indexInOrder } from './model/index-declaration.ts'
export { byteLength, compareBytes } from './model/key-text.ts'
export { knownOptions, type OptionNames } from './model/known-options.ts'
export { furtherOrders, type IdOrder, orderAttributes, orderNamed } from './model/order.ts'
export { ownValue } from './model/own-value.ts'
export { isSamePages, shownPages } from './model/page-declaration.ts'
export { isInOrder, positionOf } from './model/position.ts'
export { knownSelection, type Selection, selects } from './model/query.ts'
export { INTERNAL_VERSION } from './model/reserved-names.ts'
export { seededRandom } from './model/seeded-random.ts'
export { primaryKey } from './model/stored-item.ts'
export { isRange } from './model/value-range.ts'
export { placesBytes } from './pages/columns/block.ts'
export { packColumn } from './pages/columns/column.ts'
export { type LoadedLists, loadedLists } from './pages/loaded-lists.ts'
export { numberedBy } from './pages/numbered-query.ts'
export { comparePlaces, placeFrom, placeText } from './pages/place.ts'
export { type RandomAccess, selectRank } from './pages/selection.ts'
export { probesBetween } from './pages/stores/markers/searched-blocks.ts'
export { loadTrees } from './pages/tree/load-trees.ts'
export { type Row, type StoredNode, TOP } from './pages/tree/node.ts'
export { NODE_SIZES, type NodeSizes } from './pages/tree/node-sizes.ts'
export type { CommitLimits, NodeStore, TreeName, TreesCommit } from './pages/tree/node-store.ts'
export { BLOCK_BYTES, BLOCK_RCU, type EntrySize, exactSize, readPrice } from './planner/entry-size.ts'
export { declaredEstimates, type Estimates, LOCAL_TRUST } from './planner/estimates.ts'
export { planSources, type SourceNode } from './planner/plan.ts'
export { planQuery } from './planner/plan-query.ts'
export { narrowed } from './planner/price.ts'
export { type Supposition, supposedPlan } from './read/supposed-plan.ts'
export { Again, retrying, type Waiting } from './table/retrying.ts'
export { type EntryWrite, entryWrites } from './writes/entry-writes.ts'
