import { AsyncLocalStorage } from 'node:async_hooks'
import type { Observer, StepWork } from 'lapidary'

/** What a request was sent for: a step of the plan, a `register`, which says for all pages of a process which indexes are complete, or one item. */
export type SentFor = StepWork['name'] | 'item'

/** A request to DynamoDB, as it was sent for a page. */
export interface SentRequest {
  /** `Query` */
  readonly name: string
  readonly input: object
  readonly step: SentFor
  /** The place of a list among the lists of the plan, from 0. */
  readonly list: number | undefined
  /** The round of the lists, from 1. */
  readonly round: number | undefined
  /** Whether it is of a page whose lists were read from their beginning. */
  readonly isOfSlice: boolean
  /** The name of what was read beside the page; undefined for the page itself. */
  readonly part: string | undefined
  /** Milliseconds since the page began to be read. */
  readonly startedAt: number
  /** Milliseconds; null where the page did not wait for the answer. */
  readonly ms: number | null
  readonly rcu: number
  /** Whether it was answered with an error. */
  readonly isRefused: boolean
}

/** Notes the requests that are sent for one page, among all that a process sends. */
export interface RequestLog {
  /** Sees the requests: one of the `observers` of the database. */
  readonly observer: Observer
  /** Runs what reads a page, and returns with its result the requests that were sent for it, in their order. */
  follow<T>(read: () => Promise<T>): Promise<{ readonly value: T; readonly requests: readonly SentRequest[] }>
  /** Runs what is read beside the page. */
  beside<T>(part: string, read: () => Promise<T>): Promise<T>
}

/** A process also writes now and then while it reads, such as what it uses: no page waits for that. */
const READS: readonly string[] = ['GetItem', 'BatchGetItem', 'Query', 'Scan', 'TransactGetItems']

type Place = Pick<SentRequest, 'step' | 'list' | 'round' | 'isOfSlice' | 'part'> & {
  readonly sent: SentRequest[]
  readonly begunAt: number
}

/**
 * Makes a log of requests. What is read while no page is followed is not noted, nor what several pages wait for together, but for the page that
 * began to read it.
 *
 * @param now Milliseconds, only for measuring.
 * @example
 * ```ts
 * const log = createRequestLog()
 * ```
 */
export function createRequestLog(now: () => number = () => performance.now()): RequestLog {
  const current = new AsyncLocalStorage<Place>()

  async function noted<T>(
    { sent, begunAt, ...place }: Place,
    { name, input }: Pick<SentRequest, 'name' | 'input'>,
    run: () => Promise<T>,
    rcuOf: (result: T) => number,
  ): Promise<T> {
    const startedAt = now() - begunAt
    const at = sent.push({ name, input, ...place, startedAt, ms: null, rcu: 0, isRefused: false }) - 1
    const end = (told: Pick<SentRequest, 'rcu' | 'isRefused'>): void => {
      const request = sent[at]
      if (request !== undefined) sent[at] = { ...request, ...told, ms: now() - begunAt - startedAt }
    }
    try {
      const result = await run()
      end({ rcu: rcuOf(result), isRefused: false })
      return result
    } catch (error) {
      end({ rcu: 0, isRefused: true })
      throw error
    }
  }

  return {
    observer: {
      observe(work, run, figures) {
        const place = current.getStore()
        if (place === undefined) return run()
        switch (work.kind) {
          case 'command':
            if (!READS.includes(work.name)) return run()
            return noted(place, work, run, (result) => figures(result).readUnits ?? 0)
          case 'round':
            return current.run({ ...place, round: work.number }, run)
          case 'step':
            return current.run(
              {
                ...place,
                ...{ step: work.name, list: work.list, isOfSlice: place.isOfSlice || work.name === 'slice' },
              },
              run,
            )
          default:
            return run()
        }
      },
    },
    async follow(read) {
      const place: Place = {
        ...{ step: 'item', list: undefined, round: undefined, isOfSlice: false, part: undefined },
        ...{ sent: [], begunAt: now() },
      }
      const value = await current.run(place, read)
      return { value, requests: [...place.sent] }
    },
    beside(part, read) {
      const place = current.getStore()
      return place === undefined ? read() : current.run({ ...place, part }, read)
    },
  }
}
