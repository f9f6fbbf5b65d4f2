import { join } from 'node:path'
import type { PageStore } from 'lapidary'
import { pgliteLists, relationalLists } from 'lapidary-pages'
import { Pool } from 'pg'

/** Milliseconds after which a page stops waiting for a connection; first pages and cursors do without it. */
const CONNECT_PATIENCE_MS = 2_000
/** Milliseconds for a query; a batch of changes takes a small part of it. */
const PATIENCE_MS = 8_000
const MOST_CONNECTIONS = 4

/** @param onError Called when PostgreSQL ends an idle connection. */
export function postgresPages(databaseUrl: string, onError: (error: Error) => void): PageStore {
  const pool = new Pool({
    ...{ connectionString: databaseUrl, max: MOST_CONNECTIONS, application_name: 'lapidary-comments' },
    ...{ connectionTimeoutMillis: CONNECT_PATIENCE_MS, query_timeout: PATIENCE_MS },
    // An idle pool does not keep the process alive.
    allowExitOnIdle: true,
  })
  pool.on('error', onError)
  return relationalLists({ query: (statement, values) => pool.query(statement, [...values]), close: () => pool.end() })
}

/** Opens PGlite with the first question, since it takes seconds to start. */
export function pglitePages(dataDir: string): PageStore {
  return pgliteLists({
    folder: join(dataDir, 'page-index-pglite'),
    open: async (folder) => (await import('@electric-sql/pglite')).PGlite.create(folder),
  })
}
