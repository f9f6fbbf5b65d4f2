import type { TableClient } from '../../table/table-client.ts'
import { loadedLists } from '../loaded-lists.ts'
import type { SortedLists } from '../sorted-lists.ts'
import type { ColumnsQuestion, OpenColumns } from './open-columns.ts'
import type { BlocksAnswer } from './search-blocks.ts'
import type { TallyAnswer, TallyQuestion } from './tally-blocks.ts'

/** Columns whose code the first question loads. */
export interface LoadedColumns extends SortedLists {
  search(question: ColumnsQuestion): Promise<BlocksAnswer>
  tally(group: string, question: TallyQuestion): Promise<TallyAnswer>
}

/** Opens the columns of a collection in the table itself. */
export function loadedColumns(
  table: TableClient,
  { namespace, clock, facets }: { readonly namespace: string; readonly clock: () => number; readonly facets: number },
): LoadedColumns {
  let opened: Promise<OpenColumns> | undefined
  const load = async (): Promise<OpenColumns> => {
    opened ??= open(table, namespace, clock, facets).catch((error: unknown) => {
      opened = undefined
      throw error
    })
    return opened
  }
  return {
    ...loadedLists('columns', load),
    search: async (question) => (await load()).search(question),
    tally: async (group, question) => (await load()).tally(group, question),
  }
}

async function open(table: TableClient, namespace: string, clock: () => number, facets: number): Promise<OpenColumns> {
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
