import type { TableClient } from '../../table/table-client.ts'
import { loadedLists } from '../loaded-lists.ts'
import type { SortedLists } from '../sorted-lists.ts'
import type { ColumnFacet } from './column-cells.ts'
import type { ColumnsQuestion, ColumnsTally, KnownColumns, OpenColumns } from './open-columns.ts'
import type { BlocksAnswer } from './search-blocks.ts'
import type { TallyAnswer } from './tally-blocks.ts'

/** Columns whose code the first question loads. */
export interface LoadedColumns extends SortedLists {
  search(question: ColumnsQuestion): Promise<BlocksAnswer>
  tally(question: ColumnsTally): Promise<TallyAnswer>
  /** Undefined before anything was asked. */
  known(): KnownColumns | undefined
}

/** Opens the columns of a collection in the table itself. */
export function loadedColumns(
  table: TableClient,
  {
    namespace,
    clock,
    facets,
  }: { readonly namespace: string; readonly clock: () => number; readonly facets: readonly ColumnFacet[] },
): LoadedColumns {
  let opened: Promise<OpenColumns> | undefined
  let loaded: OpenColumns | undefined
  const load = async (): Promise<OpenColumns> => {
    opened ??= open(table, namespace, clock, facets).catch((error: unknown) => {
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
  namespace: string,
  clock: () => number,
  facets: readonly ColumnFacet[],
): Promise<OpenColumns> {
  const [{ openColumns }, { dynamodbNodes }, { KnownNodes }] = await Promise.all([
    import('./open-columns.ts'),
    import('../stores/dynamodb/dynamodb-nodes.ts'),
    import('../stores/dynamodb/known-nodes.ts'),
  ])
  const remembering = dynamodbNodes(table, namespace, clock, new KnownNodes())
  return openColumns(dynamodbNodes(table, namespace, clock), {
    ...{ namespace, waiting: table, clock, remembering, facets },
  })
}
