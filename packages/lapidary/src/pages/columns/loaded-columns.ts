import type { TableClient } from '../../table/table-client.ts'
import { loadedLists } from '../loaded-lists.ts'
import type { SortedLists } from '../sorted-lists.ts'
import type { ColumnFacet } from './column-cells.ts'
import type { ColumnSizes } from './column-sizes.ts'
import type { KnownColumns, OpenColumns } from './open-columns.ts'

/** Columns whose code the first question loads. */
export interface LoadedColumns extends SortedLists, Pick<OpenColumns, 'search' | 'tally'> {
  /** Undefined before anything was asked. */
  known(): KnownColumns | undefined
}

/** What columns of a table are opened with. */
interface LoadedColumnsOptions {
  readonly namespace: string
  readonly clock: () => number
  readonly facets: readonly ColumnFacet[]
  readonly sizes?: ColumnSizes | undefined
}

/** Opens the columns of a collection in the table itself. */
export function loadedColumns(table: TableClient, options: LoadedColumnsOptions): LoadedColumns {
  let opened: Promise<OpenColumns> | undefined
  let loaded: OpenColumns | undefined
  const load = async (): Promise<OpenColumns> => {
    opened ??= open(table, options).catch((error: unknown) => {
      opened = undefined
      throw error
    })
    loaded = await opened
    return loaded
  }
  return {
    ...loadedLists('columns', load),
    search: async (question) => (await load()).search(question),
    tally: async (question) => (await load()).tally(question),
    known: () => loaded,
  }
}

async function open(
  table: TableClient,
  { namespace, clock, facets, sizes }: LoadedColumnsOptions,
): Promise<OpenColumns> {
  const [{ openColumns }, { BLOCKS }, { dynamodbNodes }, { KnownNodes }] = await Promise.all([
    import('./open-columns.ts'),
    import('./block.ts'),
    import('../stores/dynamodb/dynamodb-nodes.ts'),
    import('../stores/dynamodb/known-nodes.ts'),
  ])
  // Columns and places are written and not looked up, and some are a hundred times as large as a block's own node.
  const known = new KnownNodes((row) => row === BLOCKS)
  const remembering = dynamodbNodes(table, namespace, clock, known)
  return openColumns(dynamodbNodes(table, namespace, clock), {
    ...{ namespace, waiting: table, clock, remembering, facets },
    ...(sizes === undefined ? {} : { sizes }),
  })
}
