/** One call of a collection's client, or the reading of one page of `iterate`. */
export interface OperationWork {
  readonly kind: 'operation'
  /** The method: `list`. */
  readonly name: string
  /** The collection's own name: `COMMENT`. */
  readonly collection: string
  readonly table: string
}

/** Choosing the lists that a page is read from, with what has to be known for that. */
export interface PlanWork {
  readonly kind: 'plan'
  readonly collection: string
}

/** Queries of a page that are sent at once. */
export interface RoundWork {
  readonly kind: 'round'
  /** From 1. */
  readonly number: number
  readonly queries: number
}

/**
 * A step of a page's plan: a `list` in a round, what `columns` find, and what is read beside them: `counts`, the place of the page in a
 * `pageIndex`, its `total`, and items that the caller has `written`. A `slice` is a page whose lists are read from their beginning. A `register` says what the
 * table has complete; it is read at most once in some seconds, for all pages, and no plan has it.
 */
export interface StepWork {
  readonly kind: 'step'
  readonly name: 'list' | 'columns' | 'counts' | 'pageIndex' | 'total' | 'written' | 'slice' | 'register'
  /** The place of a list among the lists of the plan, from 0; absent for other steps. */
  readonly list?: number
}

/** One command as it is given to the SDK, whose own retries are within; what the library tries again is another one. */
export interface CommandWork {
  readonly kind: 'command'
  /** `Query`. */
  readonly name: string
  readonly table: string
  readonly index: string | undefined
  /** The request, with the keys and values that it asks for: these may be of a person. */
  readonly input: object
}

/** One transaction that keeps what was counted, with the checkpoints; tried again until it is made or refused. */
export interface CommitWork {
  readonly kind: 'commit'
  readonly table: string
  /** Items that it writes. */
  readonly writes: number
}

/** A batch of the change stream, as Lambda delivers it. */
export interface BatchWork {
  readonly kind: 'batch'
  readonly table: string
  readonly shardId: string
  readonly records: number
}

/** An HTTP request, in programs that answer with `lapidary-http`. */
export interface RequestWork {
  readonly kind: 'request'
  readonly method: string
  /** The id of the request in its answer and in the log. */
  readonly id: string
  /** Returns a header of the request. */
  readonly header: (name: string) => string | undefined
}

/** A piece of work, as it is told when it begins. */
export type Work = OperationWork | PlanWork | RoundWork | StepWork | CommandWork | CommitWork | BatchWork | RequestWork

/** What is known of a piece of work when it has ended well; each kind tells some of it. */
export interface Figures {
  /** The plan in one line. */
  readonly plan?: string
  /** The lists that the plan reads, without values: `merge of byRating`. There are few of these, so they can be a label. */
  readonly lists?: string
  readonly readUnits?: number
  readonly writeUnits?: number
  readonly requests?: number
  readonly rounds?: number
  readonly itemsRead?: number
  readonly itemsReturned?: number
  /** Why a page ended early: `maxCapacity`, `maxBytes`, `aborted`. */
  readonly stoppedBy?: string
  /** Whether a commit was made by this try, or had been made by one before: `written`, `spent`. */
  readonly outcome?: string
  /** Milliseconds from the last change of a batch to its being counted. */
  readonly lagMs?: number | undefined
  /** The first record of a batch that has to be delivered again. */
  readonly failed?: string | undefined
  /** The id that AWS gave a command, and how often the SDK sent it. */
  readonly requestId?: string
  readonly attempts?: number
  /** The route that answered, as a pattern, and how. */
  readonly route?: string
  readonly status?: number
}

/**
 * Follows the work of the library: for traces, metrics and logs. Pieces of work lie within each other: a request, its operation, the plan, its
 * rounds, their commands. What an observer keeps for the time of `run`, such as a context of OpenTelemetry, is there for all that is within.
 */
export interface Observer {
  /**
   * Runs a piece of work, once, and returns what it returns, or throws what it throws.
   *
   * @param figures Tells what is known of the result.
   */
  observe<T>(work: Work, run: () => Promise<T>, figures: (result: T) => Figures): Promise<T>
}

/** Runs a piece of work as an observer does. */
export type Observe = Observer['observe']

/** Runs a step, and has it observed; a step's own figures are those of its commands. */
export function asStep<T>(
  { observe }: { readonly observe: Observe },
  step: Omit<StepWork, 'kind'>,
  run: () => Promise<T>,
): Promise<T> {
  return observe({ kind: 'step', ...step }, run, () => ({}))
}

/** Observes nothing. */
export const UNOBSERVED: Observe = (_, run) => run()

/**
 * Makes one of several observers: the first is the outermost.
 *
 * @example
 * ```ts
 * import type { Observer } from 'lapidary'
 *
 * const observers: Observer[] = []
 * const observe = observedBy(observers)
 * const work = { kind: 'operation', name: 'report', collection: 'COMMENT', table: tableName } as const
 * await observe(work, async () => lapidary.comments.list({ scope: '42' }), () => ({}))
 * ```
 */
export function observedBy(observers: readonly Observer[] = []): Observe {
  return observers.reduceRight<Observe>(
    (inner, observer) => (work, run, figures) => observer.observe(work, () => inner(work, run, figures), figures),
    UNOBSERVED,
  )
}
