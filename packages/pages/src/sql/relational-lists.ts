import type { PageStore } from 'lapidary'
import { knownOptions, loadedLists, loadTrees, type NodeSizes, type OptionNames } from 'lapidary/internal'
import type { SendSql } from './sql-client.ts'
import type { OpenNodes } from './sql-nodes.ts'

/** The options of `relationalLists`. */
export interface RelationalListsOptions {
  /** Of `pg` `(statement, values) => pool.query(statement, [...values])`, and of PGlite the same. */
  readonly query: SendSql
  /** Lets go of the client, where nothing else uses it. */
  readonly close?: () => Promise<void>
  /** The schema that the tables are in, and that is made when it is missing; `lapidary` when not given. */
  readonly schema?: string
  /** What messages and plans call it; `postgres` when not given. */
  readonly name?: string
}

const NAMES: OptionNames<RelationalListsOptions> = { query: true, close: true, schema: true, name: true }

/**
 * Sorted lists in PostgreSQL, a server or PGlite: for each scope a counted tree whose nodes are rows, and for each shard the last change
 * that is in, written with it in one statement. The tables are made at the first use.
 *
 * @example
 * ```ts
 * import { Pool } from 'pg'
 *
 * const pool = new Pool({ connectionString: 'postgres://127.0.0.1:5432/comments' })
 * const pages = relationalLists({ query: (statement, values) => pool.query(statement, [...values]) })
 * ```
 */
export function relationalLists(options: RelationalListsOptions): PageStore {
  return relationalListsOf(knownOptions('relationalLists', options, NAMES, 'declaration_invalid'))
}

/** The same with nodes of another size, which tests fill soon. */
export function relationalListsOf(options: RelationalListsOptions, sizes?: NodeSizes): PageStore {
  const { query, close, schema = 'lapidary', name = 'postgres' } = options
  let opening: Promise<OpenNodes> | undefined
  let closing: Promise<void> | undefined
  // All lists that were opened have the one client.
  const closeOnce = (): Promise<void> => {
    closing ??= close?.() ?? Promise.resolve()
    return closing
  }
  return {
    name,
    apart: true,
    open: (context) =>
      loadedLists(
        name,
        async () => {
          opening ??= import('./sql-nodes.ts').then(({ nodesOf }) => nodesOf(query, { name, schema, sizes }))
          const [openTrees, open] = await Promise.all([loadTrees(), opening])
          return openTrees(open(context), { ...context, waiting: context.table })
        },
        { close: closeOnce },
      ),
  }
}
