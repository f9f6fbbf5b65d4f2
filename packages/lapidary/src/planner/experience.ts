import type { List } from '../layouts/layout.ts'
import type { RecentGiving, RecentLists } from './estimates.ts'
import { keepLatest } from './keep-latest.ts'
import { createLearnedSizes, type LearnedSizes, type SizeSample } from './learned-sizes.ts'

/** One source as a run of a plan showed it. */
export interface SourceObservation extends SizeSample {
  /** Items evaluated. */
  readonly read: number
  /** Items of the page that came from it. */
  readonly given: number
  /** Items of it that certainly follow the page. */
  readonly ahead: number
}

/** Remembers what a process has learned of a collection by reading it: what entries weigh, and what mix is where. */
export interface Experience {
  readonly sizes: Pick<LearnedSizes, 'size' | 'revision'>
  /** Tells what the lists gave on the page that ended at a place; undefined when no page of this process did, or too long ago. */
  recentAt(place: string): RecentLists | undefined
  /**
   * Takes in what a page showed.
   *
   * @param from The place where it began.
   * @param to The place where it ended; undefined when nothing follows.
   */
  learn(
    sources: readonly { readonly list: List; readonly observed: SourceObservation }[],
    from: string,
    to: string | undefined,
  ): void
}

/** The part of what earlier pages gave that still counts with each page on. */
const KEPT = 0.6
const MOST_PLACES = 2_000

/** @param declaredBytes What the declaration says that an entry weighs. */
export function createExperience(declaredBytes: number): Experience {
  const sizes = createLearnedSizes(declaredBytes)
  const places = new Map<string, ReadonlyMap<string, RecentGiving>>()
  return {
    sizes,
    recentAt(place) {
      const recent = places.get(place)
      return recent && ((list) => recent.get(listName(list)))
    },
    learn(sources, from, to) {
      for (const { list, observed } of sources) sizes.learn(list, observed)
      if (to === undefined) return
      const before = places.get(from)
      const recent = sources.map(({ list, observed }) => {
        const name = listName(list)
        return [name, recentGiving(before?.get(name), observed)] as const
      })
      keepLatest(places, to, new Map(recent), MOST_PLACES)
    },
  }
}

function recentGiving(
  before: RecentGiving | undefined,
  { entries, read, given, ahead }: SourceObservation,
): RecentGiving {
  return {
    given: KEPT * (before?.given ?? 0) + given + ahead,
    passed: KEPT * (before?.passed ?? 0) + entries,
    read: KEPT * (before?.read ?? 0) + read,
    ahead,
  }
}

function listName({ index, label }: List): string {
  return `${index} ${label}`
}
