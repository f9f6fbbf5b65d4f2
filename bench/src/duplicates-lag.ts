import { setTimeout as sleep } from 'node:timers/promises'
import { type Comment, PRODUCT } from './comments.ts'
import { median, quantile, rounded } from './measure.ts'
import type { PowerSetTable } from './power-set-table.ts'
import type { Random } from './random.ts'

/** How far lists were behind what was written, in milliseconds, and what was left wrong. */
export interface DuplicatesLag {
  readonly perSecond: number
  readonly creates: number
  readonly edits: number
  readonly p50: number
  readonly p95: number
  readonly most: number
  readonly differences: number
}

/** One in so many writes edits the facets of an item that is there. */
const EDITED = 4
const SAMPLE_MS = 10
/** Looked for at once, the oldest first: looking for all that wait would keep the engine from what they wait for. */
const SAMPLED = 8
const IDLE_MS = 100
const MOVED = { en: 'de', de: 'es', es: 'fr', fr: 'ja', ja: 'en' } as const

interface UnderWay {
  readonly before: Comment | undefined
  readonly after: Comment
  readonly acknowledged: number
}

/**
 * Creates comments at a rate, and edits both facets of some, while a poller of the same process keeps the duplicates; looks a hundred
 * times a second whether the list of a write shows it, and the list that it was in does not any more.
 */
export async function duplicatesLag(
  { lapidary: { comments, stream, derived } }: PowerSetTable,
  all: readonly Comment[],
  perSecond: number,
  random: Random,
): Promise<DuplicatesLag> {
  await using _poller = await stream.start({ idleMs: IDLE_MS })
  const settled: Comment[] = []
  const waiting = new Set<UnderWay>()
  const lags: number[] = []
  let edits = 0
  let isWriting = true

  const write = async (next: () => Comment | undefined): Promise<void> => {
    const startedAt = performance.now()
    const underWay: Promise<void>[] = []
    for (let i = 0; ; i++) {
      const wait = startedAt + (i / perSecond) * 1000 - performance.now()
      if (wait > 0) await sleep(wait)
      const edited = i % EDITED === 1 ? settled.splice(Math.floor(random() * settled.length), 1)[0] : undefined
      const created = edited === undefined ? next() : undefined
      if (edited !== undefined) {
        edits += 1
        const moved = {
          rating: (edited.rating % 5) + 1,
          language: MOVED[edited.language as keyof typeof MOVED],
        }
        underWay.push(comments.patch(edited.id, moved).then(() => wrote(edited, { ...edited, ...moved })))
      } else if (created !== undefined) underWay.push(comments.create(created).then(() => wrote(undefined, created)))
      else break
    }
    await Promise.all(underWay)
    isWriting = false
  }
  const wrote = (before: Comment | undefined, after: Comment): void => {
    waiting.add({ before, after, acknowledged: performance.now() })
  }
  const isListed = async ({ id, rating, language, createdAt: from }: Comment): Promise<boolean> => {
    const to = new Date(Date.parse(from) + 1).toISOString()
    const { items } = await comments.list({ scope: PRODUCT, where: { rating: [rating as 5], language }, from, to })
    return items.some((item) => item.id === id)
  }
  const sample = async (): Promise<void> => {
    while (isWriting || waiting.size > 0) {
      for (const each of [...waiting].slice(0, SAMPLED)) {
        const { before, after, acknowledged } = each
        if (!(await isListed(after)) || (before !== undefined && (await isListed(before)))) continue
        lags.push(performance.now() - acknowledged)
        waiting.delete(each)
        settled.push(after)
      }
      await sleep(SAMPLE_MS)
    }
  }
  const rest = all.values()
  await Promise.all([write(() => rest.next().value), sample()])
  const { differenceCount } = await derived.verify()
  return {
    ...{ perSecond, creates: all.length, edits, differences: differenceCount },
    ...{ p50: median(lags), p95: quantile(lags, 0.95), most: Math.max(...lags) },
  }
}

/** A row of a table of them. */
export function lagRow({ perSecond, creates, edits, p50, p95, most, differences }: DuplicatesLag): readonly number[] {
  return [perSecond, creates, edits, ...[p50, p95, most].map((ms) => rounded(ms, 0)), differences]
}
