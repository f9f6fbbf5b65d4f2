import { LapidaryError } from 'lapidary'
import { Again, retrying, type Waiting } from 'lapidary/internal'

/**
 * How a client of PostgreSQL is asked: with a statement, whose parameters are `$1` and so on, and their values. A pool may give each
 * statement another connection.
 */
export type SendSql = (
  statement: string,
  values: readonly (string | null)[],
) => Promise<{ readonly rows: readonly unknown[] }>

/** A row; every column is a text. */
export type SqlRow = Readonly<Record<string, string | null>>

/** Gives the rows of a statement. */
export type QuerySql = (statement: string, values: readonly (string | null)[]) => Promise<readonly SqlRow[]>

const MOST_TRIES = 6
/** Another transaction was at the same rows: nothing of the statement happened. */
const CONFLICTS: ReadonlySet<unknown> = new Set(['40001', '40P01'])

/** Conflicts are tried again; whatever else goes wrong with the database is no fault of the question. */
export function querying(send: SendSql, name: string, waiting: Waiting): QuerySql {
  const failed = (error: unknown): LapidaryError => {
    const cause = brief(error)
    return new LapidaryError('unavailable', `the page index in ${name} does not answer: ${cause.message}`, { cause })
  }
  const gaveUp = (_: number, cause: unknown): never => {
    throw failed(cause)
  }
  return (statement, values) =>
    retrying<readonly SqlRow[]>(waiting, { most: MOST_TRIES, gaveUp }, async () => {
      try {
        return (await send(statement, values)).rows as readonly SqlRow[]
      } catch (error) {
        if (error instanceof LapidaryError) throw error
        if (CONFLICTS.has((error as { code?: unknown } | undefined)?.code)) return new Again(error)
        throw failed(error)
      }
    })
}

const SQLSTATE = /^[0-9A-Z]{5}$/

/** Without the statement and its values, which some clients put into their errors; where the server is stays in the log. */
function brief(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error))
  const { code } = error as { code?: unknown }
  if (typeof code !== 'string') return new Error(error.message)
  return Object.assign(new Error(SQLSTATE.test(code) ? error.message : code), { code })
}
