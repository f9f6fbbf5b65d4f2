import { chmodSync, existsSync, renameSync, writeFileSync } from 'node:fs'
import { emptyDatabase, STREAM_INDEXES } from './new-database.ts'
import { runSql } from './sqlite.ts'

/**
 * Makes an empty database where there is none yet; an existing one is closed to other users, and gets the indexes if it lacks them. The process
 * that holds the folder's claim calls this before the database starts.
 */
export async function prepareDatabase(file: string): Promise<void> {
  if (existsSync(file)) {
    for (const part of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(part)) chmodSync(part, 0o600)
    await runSql(file, STREAM_INDEXES)
    return
  }
  const temporary = `${file}.${process.pid}.new`
  writeFileSync(temporary, emptyDatabase(), { mode: 0o600 })
  renameSync(temporary, file)
}
