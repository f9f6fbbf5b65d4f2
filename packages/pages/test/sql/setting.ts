import type { SendSql } from 'lapidary-pages'
import { Pool } from 'pg'
import { startPostgres, type TestPostgres } from '../../../../test/engines/postgres.ts'
import type { PageStoreContext } from '../../../lapidary/src/pages/sorted-lists.ts'
import { createTableClient } from '../../../lapidary/src/table/table-client.ts'

/** What a store is opened with that has nothing in the table. */
export function contextOf(namespace: string): PageStoreContext {
  const table = createTableClient({
    client: { send: () => Promise.reject(new Error('there is no table')) } as never,
    tableName: 'none',
    random: Math.random,
    sleep: async () => undefined,
  })
  return { table, namespace, clock: Date.now }
}

/** Anything that answers as a pool of `pg` does. */
interface Client {
  query(statement: string, values: string[]): Promise<{ rows: unknown[] }>
}

export function sendTo(client: Client): SendSql {
  return (statement, values) => client.query(statement, [...values] as string[])
}

/** A real server, and a pool of connections to it. */
export interface PostgresSetting extends AsyncDisposable {
  readonly server: TestPostgres
  readonly pool: Pool
}

export async function openPostgres(): Promise<PostgresSetting> {
  const server = await startPostgres()
  const pool = new Pool({ connectionString: server.url, max: 8, connectionTimeoutMillis: 10_000 })
  // An idle connection of a server that is killed.
  pool.on('error', () => undefined)
  return {
    server,
    pool,
    async [Symbol.asyncDispose]() {
      await pool.end()
      await server[Symbol.asyncDispose]()
    },
  }
}
