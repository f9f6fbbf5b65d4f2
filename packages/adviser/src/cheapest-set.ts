import type { SearchTime } from './search-time.ts'

/** What a set costs; undefined where it can't do the work. */
export interface PricedSet<P> {
  readonly price: number
  readonly priced: P
}

/** What one member adds by itself, without what the others add to it. */
export interface MemberPrice {
  /** What having it costs. */
  readonly standing: number
  /** What each job costs with it; infinite where it can't do the job. */
  readonly jobs: readonly number[]
}

/** What was found, and whether all sets were tried or proven dearer. */
export interface CheapestSet<P> {
  readonly members: readonly number[]
  readonly priced: PricedSet<P> | undefined
  readonly proven: boolean
  /** Sets that were priced as a whole. */
  readonly tried: number
}

interface SearchOptions<P> {
  readonly members: readonly MemberPrice[]
  /** What the work costs besides, whatever the set. */
  readonly base: number
  readonly most: number
  priceOf(members: readonly number[]): Promise<PricedSet<P> | undefined>
  /** When it is over the search ends, with the best so far. */
  readonly time: Pick<SearchTime, 'isOver' | 'breathe'>
}

/** For a job that is not done: more than any price, and still a number to compare by. */
const UNDONE = 1e12
/** A branch that could be cheaper by less than this share is left too. */
const CLOSE = 0.001
/** Prices that differ by less are taken as equal, so that rounding decides nothing. */
const SLACK = 1e-9

/**
 * The cheapest set, by branch and bound. A set costs at least what its members cost by themselves, and each job at least what it costs with
 * the best of those that are in or may still come in; a branch that can't be cheaper than the best so far is left.
 * With a bound that holds, what it finds is what trying all sets would find.
 *
 * Members may make each other much dearer than the bound knows, and then nearly all branches have to be tried. So it begins with sets that
 * differ in one member from the best so far, for as long as one of them is cheaper: where the time is over before all branches
 * are tried, the set is one that no single change makes cheaper.
 */
export async function cheapestSet<P>(options: SearchOptions<P>): Promise<CheapestSet<P>> {
  const { members, base, most, priceOf, time } = options
  let best: PricedSet<P> | undefined
  let chosen: readonly number[] = []
  const tried = new Set<string>()
  const couldBeCheaper = (bound: number): boolean =>
    bound < Number.POSITIVE_INFINITY && (best === undefined || bound < best.price * (1 - CLOSE))
  /** Prices a set, and says whether it is the best so far. */
  const attempt = async (set: readonly number[]): Promise<boolean> => {
    const taken = set.toSorted((a, b) => a - b)
    const name = taken.join()
    if (tried.has(name)) return false
    tried.add(name)
    const priced = await priceOf(taken)
    if (priced === undefined || (best !== undefined && priced.price >= best.price - SLACK)) return false
    best = priced
    chosen = taken
    return true
  }

  await attempt(greedySet(members, most))
  for (let better = true; better && !time.isOver(); ) {
    better = false
    for (const set of neighbours(chosen, members.length, most)) {
      await time.breathe()
      if (time.isOver()) break
      if (!couldBeCheaper(base + ownPrice(members, set))) continue
      better = await attempt(set)
      if (better) break
    }
  }

  const order = members.map((_, i) => i).toSorted((a, b) => worth(members, b) - worth(members, a))
  const jobs = members[0]?.jobs.length ?? 0
  // What each job costs at least with those that are decided last.
  const rest: (readonly number[])[] = [new Array<number>(jobs).fill(Number.POSITIVE_INFINITY)]
  for (const member of order.toReversed()) rest.unshift(least(rest[0] ?? [], members[member]?.jobs ?? []))
  let proven = true
  const descend = async (
    depth: number,
    taken: readonly number[],
    standing: number,
    done: readonly number[],
  ): Promise<void> => {
    await time.breathe()
    if (!couldBeCheaper(base + standing + sum(least(done, rest[depth] ?? [])))) return
    if (time.isOver()) {
      proven = false
      return
    }
    const next = order[depth]
    if (next === undefined) {
      await attempt(taken)
      return
    }
    const member = members[next] as MemberPrice
    if (taken.length < most)
      await descend(depth + 1, [...taken, next], standing + member.standing, least(done, member.jobs))
    await descend(depth + 1, taken, standing, done)
  }
  await descend(0, [], 0, rest.at(-1) ?? [])
  return { members: chosen, priced: best, proven, tried: tried.size }
}

/** Members added, removed or swapped one at a time for as long as that makes the sum of their own prices less. */
function greedySet(members: readonly MemberPrice[], most: number): readonly number[] {
  let taken: readonly number[] = []
  for (;;) {
    const current = taken
    const best = neighbours(current, members.length, most).reduce(
      (cheapest, move) =>
        ownPrice(members, move, UNDONE) < ownPrice(members, cheapest, UNDONE) - SLACK ? move : cheapest,
      current,
    )
    if (best === current) return current
    taken = best
  }
}

/** The sets with one member less, one more, or one other. */
function neighbours(set: readonly number[], members: number, most: number): readonly (readonly number[])[] {
  const others = Array.from({ length: members }, (_, i) => i).filter((i) => !set.includes(i))
  return [
    ...set.map((i) => set.filter((one) => one !== i)),
    ...(set.length < most ? others.map((i) => [...set, i]) : []),
    ...set.flatMap((i) => others.map((j) => [...set.filter((one) => one !== i), j])),
  ]
}

/** What a set costs, if its members did not make each other dearer. */
function ownPrice(members: readonly MemberPrice[], set: readonly number[], undone = Number.POSITIVE_INFINITY): number {
  const standing = sum(set.map((i) => members[i]?.standing ?? 0))
  const jobs = (members[0]?.jobs ?? []).map((_, job) =>
    Math.min(undone, ...set.map((i) => members[i]?.jobs[job] ?? undone)),
  )
  return standing + sum(jobs)
}

/** Those that do the most for what they cost are decided first, so that a good set is found early. */
function worth(members: readonly MemberPrice[], i: number): number {
  const { standing, jobs } = members[i] as MemberPrice
  return -standing - sum(jobs.map((job) => Math.min(job, UNDONE)))
}

function least(a: readonly number[], b: readonly number[]): readonly number[] {
  return a.map((value, i) => Math.min(value, b[i] ?? Number.POSITIVE_INFINITY))
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
