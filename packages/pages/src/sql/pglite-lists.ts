import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { LapidaryError, type PageStore } from 'lapidary'
import { knownOptions, type OptionNames } from 'lapidary/internal'
import { relationalLists } from './relational-lists.ts'

/** What `pgliteLists` takes. */
export interface PgliteListsOptions {
  /** Made when it is missing. One process at a time opens it. */
  readonly folder: string
  /** `(folder) => PGlite.create(folder)` */
  readonly open: (folder: string) => Promise<EmbeddedPostgres>
}

const NAMES: OptionNames<PgliteListsOptions> = { folder: true, open: true }

/** What PGlite answers to, of what it can. */
export interface EmbeddedPostgres {
  query(statement: string, values: (string | null)[]): Promise<{ readonly rows: readonly unknown[] }>
  close(): Promise<void>
}

/**
 * Sorted lists in a PostgreSQL that runs inside this process, PGlite, in a folder. Two processes would damage it, so it is opened at
 * the first use under a lock; any other process gets `page_index_locked`.
 *
 * @example
 * ```ts
 * import { PGlite } from '@electric-sql/pglite'
 *
 * const pages = pgliteLists({ folder: '.lapidary/pages', open: (folder) => PGlite.create(folder) })
 * ```
 */
export function pgliteLists(options: PgliteListsOptions): PageStore {
  const { folder, open } = knownOptions('pgliteLists', options, NAMES, 'declaration_invalid')
  let opening: Promise<EmbeddedPostgres> | undefined
  let letGo = (): void => undefined
  let isClosed = false
  const opened = async (): Promise<EmbeddedPostgres> => {
    mkdirSync(folder, { recursive: true })
    const lock = (await import('../file/writer-lock.ts')).lockFolder(folder)
    try {
      const database = await openData(folder, open)
      letGo = () => lock.release()
      return database
    } catch (error) {
      lock.release()
      throw error
    }
  }
  return relationalLists({
    name: 'pglite',
    async query(statement, values) {
      if (isClosed) throw new LapidaryError('unavailable', `the page index in ${folder} is closed`)
      opening ??= opened()
      const own = opening
      try {
        return await (await own).query(statement, [...values])
      } catch (error) {
        // Where it does not open, the next question tries anew.
        if (opening === own) await own.catch(() => (opening = undefined))
        throw error
      }
    },
    async close() {
      isClosed = true
      const database = await opening?.catch(() => undefined)
      await database?.close()
      letGo()
      letGo = () => undefined
    },
  })
}

/** A new database gets its name once it is whole, so that a process which is killed before leaves none that can't be opened. */
async function openData(folder: string, open: PgliteListsOptions['open']): Promise<EmbeddedPostgres> {
  const [data, draft] = [join(folder, 'data'), join(folder, 'draft')]
  rmSync(draft, { recursive: true, force: true })
  if (!existsSync(data)) {
    await (await open(draft)).close()
    renameSync(draft, data)
  }
  return open(data)
}
