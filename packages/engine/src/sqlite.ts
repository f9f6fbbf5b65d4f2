import { spawnSync } from 'node:child_process'

interface Database {
  exec(sql: string): void
  close(): void
}

/**
 * Runs SQL on a database file that no other process has open, with the SQLite of Node (from 22.13) or the program `sqlite3`. Returns false where
 * there is neither, or the file is no database.
 */
export async function runSql(file: string, sql: string): Promise<boolean> {
  try {
    // A name that the compiler does not look up: its types are of Node 20.
    const builtin: string = 'node:sqlite'
    const { DatabaseSync } = (await import(builtin)) as { DatabaseSync: new (file: string) => Database }
    const database = new DatabaseSync(file)
    try {
      database.exec(sql)
    } finally {
      database.close()
    }
    return true
  } catch {
    return spawnSync('sqlite3', ['-batch', '-bail', file, sql], { stdio: 'ignore' }).status === 0
  }
}
