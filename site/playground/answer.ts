import type { ExplainedPlan } from 'lapidary'
import type { TableFormat } from './question.ts'

/** Everything that the playground shows, as data without functions: it comes out of a worker as JSON. Undefined is what a problem kept from being found. */
export interface Answer {
  readonly problem?: Problem
  readonly declared?: DeclaredAnswer
  readonly plan?: PlanAnswer
}

/** What is wrong, and where the person can mend it. */
export interface Problem {
  readonly in: 'declaration' | 'query' | 'data'
  readonly message: string
  /** The code of a LapidaryError; a heading of the page on errors. */
  readonly code?: string
  /** From 1, where it is known. */
  readonly line?: number
}

/** What a declaration gives without a query. */
export interface DeclaredAnswer {
  /** The name of the collection that is asked, in code. */
  readonly collection: string
  readonly layout: string
  readonly warnings: readonly string[]
  readonly data: DataAnswer
  readonly keys: KeysAnswer
  readonly writes: readonly WriteCost[]
  readonly table: Readonly<Record<TableFormat, string>>
}

/** The data that plans and prices were made for. */
export interface DataAnswer {
  readonly items: number
  readonly itemBytes: number
  readonly counts: boolean
  readonly columns: boolean
  readonly facets: readonly FacetAnswer[]
}

export interface FacetAnswer {
  readonly name: string
  readonly kind: 'oneOf' | 'anyOf' | 'eachOf'
  readonly counted: boolean
  /** Each value with the share of items that have it, 0 to 1. The shares of `eachOf` are each by itself. */
  readonly values: readonly { readonly text: string; readonly share: number }[]
}

/** An item as the table holds it. */
export interface KeysAnswer {
  readonly item: Readonly<Record<string, unknown>>
  /** All of them, or the first ones. */
  readonly entries: readonly EntryAnswer[]
  /** How many entries an item has. */
  readonly count: number
}

export interface EntryAnswer {
  readonly pk: string
  readonly sk: string
  readonly lists: readonly ListAnswer[]
}

/** A list that an entry is in. */
export interface ListAnswer {
  readonly index: string
  readonly keys: readonly { readonly name: string; readonly value: string; readonly role: 'partition' | 'sort' }[]
}

/** The mean write units of a kind of write. */
export interface WriteCost {
  readonly what: string
  readonly units: number
  /** Units by index; the table itself under the empty name. */
  readonly byIndex: Readonly<Record<string, number>>
  readonly dollars: Dollars
}

/** Dollars a million of something. */
export interface Dollars {
  readonly onDemand: number
  readonly provisioned: number
}

export interface PlanAnswer {
  readonly explained: Pick<
    ExplainedPlan,
    'text' | 'tree' | 'estimated' | 'lists' | 'rejected' | 'limits' | 'basis' | 'roundPrice'
  >
  readonly dollars: Dollars
  /** Of each rejected plan, in its order; null where it could not answer. */
  readonly rejectedDollars: readonly (Dollars | null)[]
}
