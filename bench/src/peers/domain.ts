import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'

/** What a program asks of a list: some of the values of each facet, and a range of the order. */
export interface Question {
  readonly name: string
  readonly scope: string
  readonly where: Readonly<Record<string, readonly string[]>>
  /** Inclusive, and exclusive. */
  readonly from?: string
  readonly to?: string
}

export interface PeerPage {
  readonly ids: readonly string[]
  readonly next: string | null
}

/** One domain, written as a user of one library would. */
export interface Store<Row> {
  create(row: Row): Promise<unknown>
  /** Fills the store, by whatever the library has for many items. */
  load(rows: readonly Row[]): Promise<unknown>
  page(question: Question, limit: number, cursor: string | undefined): Promise<PeerPage>
}

/** Creates the table, and opens the store. */
export type OpenStore<Row> = (client: DynamoDBClient, tableName: string) => Promise<Store<Row>>

/** A domain: rows, what is asked of them, and each library's store with the file that it is written in. */
export interface Domain<Row extends Ordered> {
  readonly name: string
  readonly rows: readonly Row[]
  readonly questions: readonly Question[]
  readonly peers: Readonly<Record<string, { readonly file: string; readonly open: OpenStore<Row> }>>
}

export interface Ordered {
  readonly id: string
  readonly scope: string
  readonly at: string
}

/** The naive answer: filtered and sorted in memory, newest first, the higher id first among equals. */
export function answerOf(rows: readonly Ordered[], { scope, where, from, to }: Question): readonly string[] {
  return rows
    .filter((row) => row.scope === scope && (from === undefined || row.at >= from) && (to === undefined || row.at < to))
    .filter((row) =>
      Object.entries(where).every(([facet, values]) =>
        values.includes(String((row as unknown as Record<string, unknown>)[facet])),
      ),
    )
    .toSorted((a, b) => (a.at === b.at ? (a.id < b.id ? 1 : -1) : a.at < b.at ? 1 : -1))
    .map(({ id }) => id)
}
