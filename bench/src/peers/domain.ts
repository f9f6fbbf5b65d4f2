import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { StoredItem } from './fill.ts'

/** A question to a list: some of the values of each facet, and a range of an order. */
export interface Question {
  readonly name: string
  /** The scope; all scopes when not given. */
  readonly scope?: string
  readonly where: Readonly<Record<string, readonly string[]>>
  /** The attribute of the order; the time when not given. */
  readonly by?: 'amount'
  /** Inclusive, and exclusive. */
  readonly from?: string | number
  readonly to?: string | number
}

export interface PeerPage {
  readonly ids: readonly string[]
  readonly next: string | null
}

/** One domain, written as a user of one library would. */
export interface Store<Row> {
  createTable(): Promise<unknown>
  create(row: Row): Promise<unknown>
  /** Returns the items that a create puts into the table, as the library reports them. */
  stored(row: Row): readonly StoredItem[] | Promise<readonly StoredItem[]>
  page(question: Question, limit: number, cursor: string | undefined): Promise<PeerPage>
}

export type OpenStore<Row> = (client: DynamoDBClient, tableName: string) => Store<Row>

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
  readonly amount?: number
  readonly expiresAt?: string
}

/** The moment at which lists are asked for, for what expires. */
export const NOW: number = Date.UTC(2026, 0, 1)

/** The naive answer: filtered and sorted in memory, the latest or highest first, the higher id first among equals. */
export function answerOf(rows: readonly Ordered[], { scope, where, by, from, to }: Question): readonly string[] {
  const place = (row: Ordered): string | number => (by === undefined ? row.at : (row[by] ?? 0))
  return rows
    .filter((row) => scope === undefined || row.scope === scope)
    .filter(({ expiresAt }) => expiresAt === undefined || Date.parse(expiresAt) > NOW)
    .filter((row) => (from === undefined || place(row) >= from) && (to === undefined || place(row) < to))
    .filter((row) =>
      Object.entries(where).every(([facet, asked]) => valuesOf(row, facet).some((v) => asked.includes(v))),
    )
    .toSorted((a, b) => (place(a) === place(b) ? (a.id < b.id ? 1 : -1) : place(a) < place(b) ? 1 : -1))
    .map(({ id }) => id)
}

function valuesOf(row: Ordered, facet: string): readonly string[] {
  return [(row as unknown as Record<string, string | readonly string[]>)[facet] ?? []].flat()
}
