import type { TargetKey } from '../derived/target-key.ts'
import type { TableClient } from '../table/table-client.ts'
import type { Place } from './place.ts'

/** An entry of a list. A list is a cell of a group: a combination of facet values (`en#5`) of a scope. */
export interface ListEntry {
  readonly group: string
  readonly cell: string
  readonly place: Place
}

/** One change of one list. */
export interface ListStep extends ListEntry {
  readonly op: 'add' | 'remove'
}

/** What one change of the stream does to lists: the steps of a batch in the stream's order, each with where it is from. */
export interface ListChange {
  /** Grows within a shard. */
  readonly sequenceNumber: string
  readonly steps: readonly ListStep[]
  /** When it was made, in milliseconds since 1970, where the stream tells. */
  readonly at?: number
}

/** What is asked of the union of some lists of a group, or of several, of which none has an entry of another. */
export interface RankQuestion {
  /** One at least, none twice. */
  readonly groups: readonly string[]
  /** Whether a list is one of them. */
  readonly includes: (cell: string) => boolean
  /** Only entries from here on; undefined = from the first. */
  readonly lower: Place | undefined
  /** Only entries before; undefined = to the last. */
  readonly upper: Place | undefined
  /** Whether `offset` counts from the lowest entry or from the highest. */
  readonly ascending: boolean
  /** How many entries are passed over. */
  readonly offset: number
  /** Of how many entries of one group, from the found one on, `near` may tell; of none when not given. */
  readonly near?: number
}

/** What the lists hold between the bounds, and the entry asked for. */
export interface RankAnswer {
  readonly total: number
  /** Undefined past the end. */
  readonly place: Place | undefined
  /**
   * The lists of the entries from the found one on, one after the other, to the last of the asked lists' that it tells of: of all lists of the
   * group, the others too. Of a store that has read them to find the place, or has them at hand; it makes no request for it.
   */
  readonly near?: readonly string[]
  /** RCU that it took, where the lists are in DynamoDB; 0 elsewhere. */
  readonly rcu: number
  /** Requests that waited for each other. */
  readonly rounds: number
  /** Requests to DynamoDB; taken to be one a round where it took RCU and does not say. */
  readonly requests?: number
  /** When the last change that is in was made, in milliseconds since 1970, where the store keeps that. */
  readonly asOf?: number | undefined
}

/** What a look-up is expected to take. */
export interface LookUpPrice {
  readonly rcu: number
  readonly rounds: number
  /** Requests to DynamoDB; taken to be one a round where it takes RCU and does not say. */
  readonly requests?: number
}

/** Which parts of a look-up in a group its price depends on. */
export interface LookUpShape {
  readonly group: string
  /** How many groups are looked into together, this one being one of them. */
  readonly among: number
  /** Entries of the group, as far as they are counted; undefined when they are not. */
  readonly entries: number | undefined
  /** How many ends the range has: 0 to 2. */
  readonly bounds: number
  /** Whether an entry is asked for, or the total alone. */
  readonly entry: boolean
}

/** A look at every entry, so that they can be compared with the items. */
export interface ListsInspection {
  /** The group that an item of the table is a part of; undefined for any other, and where the lists are elsewhere. */
  groupOf(key: TargetKey): string | undefined
  /** Groups that are not in the table; one may come more than once. */
  groups(): AsyncIterable<string>
  /** Every entry of a group, in any order. */
  entries(group: string): AsyncIterable<readonly ListEntry[]>
  /**
   * The list of a group that has an entry at a place now, with all that was applied before, by any process; undefined when none has.
   *
   * @param first The list to look in first, where damage may have put the entry in two.
   */
  cellAt(group: string, place: Place, first?: string): Promise<string | undefined>
}

/** Milliseconds for which a process may go by the state of lists as it last read it. */
export const STATE_AGE_MS = 5_000

/** Whether lists hold every item: not made yet, being made, or complete. */
export type ListsState = 'absent' | 'filling' | 'ready'

/** Lists that are being made from the items. */
export interface ListsFilling {
  /**
   * Adds entries that a scan saw. Of an item that a change was taken in of since the filling began, the change is right and not
   * the scan.
   */
  add(entries: readonly ListEntry[]): Promise<void>
  /** Everything was added: the lists answer from now on. */
  finish(): Promise<void>
  /**
   * Whether an item of the table is of lists that were given up: who scans the table removes it, {@link STATE_AGE_MS} after the filling began,
   * since a process may look into those lists until then.
   */
  isGivenUp(key: TargetKey): boolean
}

/**
 * Sorted lists with ranks, in some store. Every store answers the same, which `describeSortedListsConformance` holds; they
 * differ in what that costs.
 *
 * A group's lists share no entry: an item is in one of them.
 */
export interface SortedLists {
  /** `dynamodb`, `redis`: for messages. */
  readonly name: string
  /** Finds an entry by its rank in the union of lists, and counts them. */
  select(question: RankQuestion): Promise<RankAnswer>
  /** Whether the lists hold every item. `absent` ones take in no changes. */
  state(): Promise<ListsState>
  /**
   * Of a store that can name only so many lists of a group: why it gave a group up, and what to do; undefined while it has all. `select` and
   * `entries` of such a group throw `unprocessable`; its changes are passed over, and all other groups are kept.
   */
  full?(): Promise<string | undefined>
  /** Makes empty lists that are complete, for a table without items. Does nothing where there are lists already. */
  create(): Promise<void>
  /** Begins to make the lists anew from the items, while changes are taken in; what was there before is given up. */
  fill(): Promise<ListsFilling>
  /** Forgets the state that it has read, since the same process has made the lists anew by others of the same name. */
  forget?(): void
  /**
   * Takes in changes of a shard in their order, each once: one whose sequence number is not above that of the last one taken
   * in from the shard is passed over. To add what is there, or remove what is not, changes nothing.
   */
  apply(shardId: string, changes: readonly ListChange[]): Promise<void>
  /**
   * Passes over the changes of a shard up to a sequence number, also those that a process still has in hand. It is for lists that are about to be made
   * anew, since they lack these changes from then on. A store that follows the stream apart needs none.
   */
  pass?(shardId: string, to: string): Promise<void>
  /** What `select` will take of a group; reading nothing. Taken to be 0 RCU and 2 rounds where a store does not say. */
  price?(shape: LookUpShape): LookUpPrice
  /** Looks at every entry, for `verify` and `repair`. Of a store without it they say that it was not verified. */
  inspect?(): Promise<ListsInspection>
  /** Checks every invariant of the store's structure in a group. @throws {Error} that names the first that is broken. */
  validate(group: string): Promise<void>
  close(): Promise<void>
}

/** A store that keeps page numbers, as `derived: { pages }` takes it. */
export interface PageStore {
  readonly name: string
  /**
   * Whether the store may be away while the table is there. Then it follows the change stream by itself, from where it is, and holds up
   * no counts while it is away. False when not given.
   */
  readonly apart?: boolean
  /** How it was set, as plain data, where its lists depend on that. */
  readonly settings?: unknown
  /** Whether it is for lists that grow at their newest end: then it keeps none of another order than the default one. False when not given. */
  readonly appendOnly?: boolean
  /** Opens it for one collection; `namespace` keeps its lists apart from those of others. */
  open(context: PageStoreContext): SortedLists
}

/** What a store is opened with. */
export interface PageStoreContext {
  readonly namespace: string
  readonly table: TableClient
  /** Milliseconds since 1970. */
  readonly clock: () => number
}
