import type { AnyCollection, CollectionClient, DatabaseServices, WithContext } from 'lapidary'
import type { RequestLog } from 'lapidary-http/internal/pages'

/** One finding of a check, as `lapidary doctor` prints it. */
export interface StudioFinding {
  readonly check: string
  readonly ok: boolean
  readonly message: string
  readonly remedy?: string
}

/** Options of `startStudio`. */
export interface StudioOptions {
  /** The collections of the database by their names in code, each with its client. */
  readonly collections: Readonly<Record<string, StudioCollection>>
  /** What the database has beside them: what `createLapidary` returns holds it. */
  readonly database: DatabaseServices
  /** Where the database is, in words: `the embedded database in .lapidary`. */
  readonly place: string
  /**
   * Notes what is sent for a page: its `observer` is one of the `observers` of the database. Without it the studio shows the first request of each
   * list alone.
   */
  readonly requests?: RequestLog
  /** The address of a DynamoDB that is not AWS's own, for commands of the AWS CLI: `http://127.0.0.1:8000`. */
  readonly endpoint?: string | undefined
  /** Runs the checks of `lapidary doctor`; the studio has no button for them when not given. */
  readonly examine?: (signal: AbortSignal) => Promise<readonly StudioFinding[]>
  /** Called with errors that are no visitor's fault. */
  readonly onError?: (error: unknown) => void
}

/** A collection with its client. */
export interface StudioCollection {
  readonly collection: AnyCollection
  /** The collection's client, whatever its items are: `lapidary.comments`. */
  readonly client: WithContext
}

/** The same as the pages ask it: of items of any kind. */
export interface OpenCollection extends StudioCollection {
  readonly client: CollectionClient<unknown>
}
