import type { DiskChange, DiskListsReader } from 'lapidary-pages/file'
import type { Reply } from './reply.ts'
import { replyOf } from './reply-failure.ts'
import type { Session } from './session.ts'

/** The most milliseconds of a Node timer. */
const LONGEST_TIMER = 2 ** 31 - 1

/** A client that waits until one of some lists has entries. */
interface Waiting {
  readonly session: Session
  readonly lists: ReadonlySet<string>
  /** Tries again; returns undefined while all of the lists are empty. */
  readonly attempt: () => Reply | undefined
  /** The reply when the time is up. */
  readonly none: Reply
  timer: NodeJS.Timeout | undefined
}

/** A client's wish to wait. */
export interface Wish {
  readonly lists: readonly string[]
  readonly attempt: Waiting['attempt']
  readonly none: Reply
  /** Milliseconds to wait; 0 without end. */
  readonly timeout: number
}

/** Clients that wait for lists, in the order in which they came. */
export class WaitingClients {
  readonly #lists: DiskListsReader
  /** A set goes through its items in the order of their arrival. */
  readonly #byList = new Map<string, Set<Waiting>>()
  readonly #bySession = new Map<Session, Waiting>()
  /** Lists that got entries since clients were last served. */
  readonly #ready = new Set<string>()

  constructor(lists: DiskListsReader) {
    this.#lists = lists
  }

  /** The number of clients that wait. */
  get size(): number {
    return this.#bySession.size
  }

  /** The number of lists that clients wait for. */
  get lists(): number {
    return this.#byList.size
  }

  /** Whether {@link serve} has anything to do. */
  get isReady(): boolean {
    return this.#ready.size > 0
  }

  add(session: Session, { lists, attempt, none, timeout }: Wish): void {
    const waiting: Waiting = { session, lists: new Set(lists), attempt, none, timer: undefined }
    for (const list of waiting.lists) {
      const others = this.#byList.get(list)
      if (others === undefined) this.#byList.set(list, new Set([waiting]))
      else others.add(waiting)
    }
    this.#bySession.set(session, waiting)
    session.isWaiting = true
    if (timeout > 0) this.#endAfter(waiting, timeout)
  }

  /** Notes which lists that a client waits for got entries. */
  notice(changes: readonly DiskChange[]): void {
    for (const { type, list } of changes) if (type === 'set' && this.#byList.has(list)) this.#ready.add(list)
  }

  /**
   * Gives entries to the clients that wait for them, the first to come first. It runs after a command or a whole transaction, never in between,
   * and none of these attempts gives another list entries.
   */
  serve(): void {
    for (const list of this.#ready) {
      for (const waiting of this.#byList.get(list) ?? []) {
        if (this.#lists.count(list) === 0) break
        const reply = replyOf(waiting.attempt)
        if (reply !== undefined) this.#end(waiting, reply)
      }
    }
    this.#ready.clear()
  }

  /** Ends a client's wait, with the reply for a time that is up when none is given; returns false when it did not wait. */
  end(session: Session, reply?: Reply): boolean {
    const waiting = this.#bySession.get(session)
    if (waiting === undefined) return false
    this.#end(waiting, reply ?? waiting.none)
    return true
  }

  #endAfter(waiting: Waiting, timeout: number): void {
    const now = Math.min(timeout, LONGEST_TIMER)
    waiting.timer = setTimeout(() => {
      if (timeout > now) this.#endAfter(waiting, timeout - now)
      else this.#end(waiting, waiting.none)
    }, now)
  }

  #end(waiting: Waiting, reply: Reply): void {
    clearTimeout(waiting.timer)
    this.#bySession.delete(waiting.session)
    for (const list of waiting.lists) {
      const others = this.#byList.get(list)
      others?.delete(waiting)
      if (others?.size === 0) this.#byList.delete(list)
    }
    waiting.session.isWaiting = false
    waiting.session.wake(reply)
  }
}
