import { shownPages } from 'lapidary/internal'
import type { PageIndexName } from './page-index-names.ts'
import type { ListLoad, PageLists } from './page-lists.ts'
import { BLOCK_ENTRIES, type ListUnits, markerUnits, treeUnits } from './page-units.ts'
import type { Pricing } from './priced-layout.ts'
import type { StorePrices } from './prices.ts'

/** The use of a store in a month, and its size. */
export interface StoreUse {
  readonly gigabytes: number
  readonly batches: number
  readonly lookUps: number
}

/** The model by which one store of page indexes is priced. */
export interface StoreModel {
  /** Whether the store is the table itself, so that DynamoDB charges its units and bytes. */
  readonly isInTable: boolean
  /** Returns the bytes of an entry; `packed` are those of a packed one. */
  entryBytes(packed: number): number
  /** Returns the units of one list in the table. */
  unitsOf(list: ListLoad): ListUnits
  /** Returns the dollars a month that are paid beside DynamoDB. */
  besidePrice(stores: StorePrices, use: StoreUse): number
  /** Says why the store does not fit the workload, if it does not. */
  refusal(pricing: Pricing, all: readonly PageLists[]): string | undefined
}

/** The most blocks that a change further back may rewrite. */
const MOST_MENDED = 40
/** Bytes of an entry in each store, as the bench `page-stores` measures them. */
const ENTRY_BYTES = { redis: 150, relational: 164, file: 62, s3: 62 } as const
/** Requests of S3 for a batch, and for a page of a process that has read its part of the index. */
const S3_BATCH = { puts: 2, gets: 1.5 } as const
const S3_GETS = 1

const IN_TABLE = { isInTable: true, entryBytes: (packed: number) => packed, besidePrice: () => 0 } as const
const OUTSIDE = { isInTable: false, unitsOf: () => ({ batch: 0, lookUp: 0 }), refusal: () => undefined } as const

const onDisk: StoreModel['besidePrice'] = ({ disk }, { gigabytes }) => gigabytes * disk.gigabyteMonth

/** The model of each store. */
export const STORE_MODELS: Readonly<Record<PageIndexName, StoreModel>> = {
  none: {
    ...OUTSIDE,
    entryBytes: () => 0,
    besidePrice: () => 0,
    refusal: ({ workload: { pages } }) => (pages.share > 0 ? 'pages by number would have no answer' : undefined),
  },
  dynamodb: { ...IN_TABLE, unitsOf: treeUnits, refusal: () => undefined },
  'page-markers': { ...IN_TABLE, unitsOf: markerUnits, refusal: markersRefusal },
  redis: {
    ...OUTSIDE,
    entryBytes: () => ENTRY_BYTES.redis,
    besidePrice: ({ redis }, { gigabytes }) => Math.max(1, Math.ceil(gigabytes / redis.gigabytes)) * redis.month,
  },
  postgres: {
    ...OUTSIDE,
    entryBytes: () => ENTRY_BYTES.relational,
    besidePrice: ({ postgres }, { gigabytes }) => postgres.month + gigabytes * postgres.gigabyteMonth,
  },
  pglite: { ...OUTSIDE, entryBytes: () => ENTRY_BYTES.relational, besidePrice: onDisk },
  file: { ...OUTSIDE, entryBytes: () => ENTRY_BYTES.file, besidePrice: onDisk },
  s3: { ...OUTSIDE, entryBytes: () => ENTRY_BYTES.s3, besidePrice: s3Price },
}

function markersRefusal({ collection }: Pricing, all: readonly PageLists[]): string | undefined {
  const inOrder = collection.pages.find(({ order }) => order !== undefined)
  if (inOrder !== undefined) return `it keeps only the default order, and pages has ${shownPages(inOrder)}`
  const most = MOST_MENDED * BLOCK_ENTRIES
  const sizes = all.flatMap(({ inPlace, scopes, lists }) =>
    inPlace === 0 ? [] : scopes.filter(({ writes }) => writes > 0).flatMap(lists),
  )
  const large = sizes.find(({ items }) => items > most)
  return large === undefined
    ? undefined
    : `it refuses to edit or delete an item more than ${most} before the newest, and scopes have ${Math.round(large.items)}`
}

function s3Price({ s3 }: StorePrices, { gigabytes, batches, lookUps }: StoreUse): number {
  const gets = batches * S3_BATCH.gets + lookUps * S3_GETS
  const requests = (batches * S3_BATCH.puts * s3.thousandPuts + gets * s3.thousandGets) / 1000
  return gigabytes * s3.gigabyteMonth + requests
}
