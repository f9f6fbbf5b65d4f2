import { join } from 'node:path'
import { type PageStore, pgliteLists, relationalLists } from 'lapidary'
import { Pool } from 'pg'

/** A page that waits longer for a connection is better told so; first pages and cursors do without. */
const CONNECT_PATIENCE_MS = 2_000
/** A batch of changes takes a small part of it. */
const PATIENCE_MS = 8_000
const MOST_CONNECTIONS = 4

/** @param onError Told when PostgreSQL ends a connection that is idle. */
export function postgresPages(databaseUrl: string, onError: (error: Error) => void): PageStore {
  const pool = new Pool({
    ...{ connectionString: databaseUrl, max: MOST_CONNECTIONS, application_name: 'lapidary-comments' },
    ...{ connectionTimeoutMillis: CONNECT_PATIENCE_MS, query_timeout: PATIENCE_MS },
    // It holds no process that has nothing else to do.
    allowExitOnIdle: true,
  })
  pool.on('error', onError)
  return relationalLists({ query: (statement, values) => pool.query(statement, [...values]), close: () => pool.end() })
}

/** PGlite takes seconds to start, so it is loaded with the first question. */
export function pglitePages(dataDir: string): PageStore {
  return pgliteLists({
    folder: join(dataDir, 'page-index-pglite'),
    open: async (folder) => (await import('@electric-sql/pglite')).PGlite.create(folder),
  })
}
