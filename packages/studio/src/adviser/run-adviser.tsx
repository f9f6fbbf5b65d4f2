import type { Child } from 'hono/jsx'
import { type AnyCollection, type FacetValue, type Item, LapidaryError } from 'lapidary'
import { advise, type Workload } from 'lapidary-adviser'
import type { JobRun } from '../operate/jobs.ts'
import type { SessionMemory } from '../session-memory.ts'
import { number } from '../web/words.ts'
import { AdviceOutcome } from './advice-outcome.tsx'

/** The load that the adviser is asked about, as it was typed. */
export interface TypedLoad {
  readonly reads: string
  readonly writes: string
}

/** Seconds for the search among sets of indexes: who waits at a page is answered soon, and told where more would help. */
const SECONDS = 10

/**
 * Makes the workload of the queries of this session: each as often as it was asked, over the items that were on its pages.
 *
 * @throws {LapidaryError} `bad_request` for a rate that is no number.
 */
export function workloadOf(collection: AnyCollection, { reads, writes }: TypedLoad, memory: SessionMemory): Workload {
  const rate = (name: string, text: string): number => {
    const value = Number(text)
    if (text.trim() !== '' && value >= 0 && Number.isFinite(value)) return value
    throw new LapidaryError('bad_request', `${name} a second have to be a number, 0 or more`)
  }
  const queries = memory.queries()
  const items = memory.items().filter((item) => isCountable(collection, item))
  const times = queries.reduce((sum, query) => sum + query.times, 0)
  return {
    ...{ readsPerSecond: rate('pages', reads), writesPerSecond: rate('writes', writes) },
    ...(queries.length === 0
      ? {}
      : {
          queries: queries.map(({ times: asked, where = {}, by, order, limit }) => ({
            ...{ where, share: asked / times },
            ...(by === undefined ? {} : { by }),
            ...(order === undefined ? {} : { order: order === 'lowest' || order === 'oldest' ? 'oldest' : 'newest' }),
            ...(limit === undefined ? {} : { limit }),
          })),
        }),
    ...(items.length === 0 ? {} : { items }),
  }
}

/** Tells whether an item has the values that its facets say: one that another program wrote may not, and is no sample. */
function isCountable({ facets }: AnyCollection, item: Item): boolean {
  return Object.entries(facets).every(([name, { kind, values, optional, origin }]) => {
    const value = Object.hasOwn(item, name) ? item[name] : undefined
    if (origin !== undefined || kind === 'eachOf') return true
    if (value === undefined || value === null) return optional
    return typeof value !== 'object' && (values === undefined || values.includes(value as FacetValue))
  })
}

/** Returns the job that compares layouts for a workload. */
export function adviserRun(collection: AnyCollection, workload: Workload): JobRun {
  return async (report, signal): Promise<Child> => {
    const advice = await advise(collection, workload, {
      ...{ seconds: SECONDS, signal },
      onProgress: ({ milliseconds, sets }) =>
        report({ text: `${number(sets)} sets of indexes priced`, done: milliseconds, total: 1000 * SECONDS }),
    })
    return <AdviceOutcome advice={advice} />
  }
}
