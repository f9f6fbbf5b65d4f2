import type { SearchTime } from './search-time.ts'

/** A set with its price; undefined where it can't do the work. */
export interface PricedSet<P> {
  readonly price: number
  readonly priced: P
}

/** The price of one member by itself, without what the others add to it. */
export interface MemberPrice {
  /** The price of having it. */
  readonly standing: number
  /** The price of each job with it; infinite where it can't do the job. */
  readonly jobs: readonly number[]
}

/** The cheapest set found, and whether all sets were tried or proven dearer. */
export interface CheapestSet<P> {
  readonly members: readonly number[]
  readonly priced: PricedSet<P> | undefined
  readonly proven: boolean
  /** How many sets were priced as a whole. */
  readonly tried: number
}

interface SearchOptions<P> {
  readonly members: readonly MemberPrice[]
  /** The price of the rest of the work, the same for every set. */
  readonly base: number
  readonly most: number
  priceOf(members: readonly number[]): Promise<PricedSet<P> | undefined>
  /** The time of the search: when it is over the search ends, with the best set so far. */
  readonly time: Pick<SearchTime, 'isOver' | 'breathe'>
}

/** The price of a job that is not done: more than any price, and still a number to compare by. */
const UNDONE = 1e12
/** The search also skips a branch that could be cheaper by less than this share. */
const CLOSE = 0.001
/** Prices that differ by less are taken as equal, so that rounding decides nothing. */
const SLACK = 1e-9

/**
 * Finds the cheapest set, by branch and bound. A set costs at least what its members cost by themselves, and each job at least what it costs
 * with the best member that is in or may still come in. The search skips a branch that can't be cheaper than the best so far. Where the bound
 * holds, it finds the set that trying all sets would find.
 *
 * Members may make each other much dearer than the bound knows, and then nearly all branches have to be tried. So the search begins with sets
 * that differ in one member from the best so far, for as long as one of them is cheaper. Where the time is over before all branches are tried,
 * no single change makes the set cheaper.
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
    for (const set of neighbouringSets(chosen, members.length, most)) {
      await time.breathe()
      if (time.isOver()) break
      if (!couldBeCheaper(base + ownPrice(members, set))) continue
      better = await attempt(set)
      if (better) break
    }
  }

  const order = members.map((_, i) => i).toSorted((a, b) => worth(members, b) - worth(members, a))
  const jobs = members[0]?.jobs.length ?? 0
  // The least that each job costs with the members that are decided last.
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
    if (!couldBeCheaper(base + standing + ownSum(least(done, rest[depth] ?? [])))) return
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

/** Adds, removes or swaps one member at a time for as long as that lowers the ownSum of their own prices. */
function greedySet(members: readonly MemberPrice[], most: number): readonly number[] {
  let taken: readonly number[] = []
  for (;;) {
    const current = taken
    const best = neighbouringSets(current, members.length, most).reduce(
      (cheapest, move) =>
        ownPrice(members, move, UNDONE) < ownPrice(members, cheapest, UNDONE) - SLACK ? move : cheapest,
      current,
    )
    if (best === current) return current
    taken = best
  }
}

/** Returns the sets with one member less, one more, or another one. */
function neighbouringSets(set: readonly number[], members: number, most: number): readonly (readonly number[])[] {
  const others = Array.from({ length: members }, (_, i) => i).filter((i) => !set.includes(i))
  return [
    ...set.map((i) => set.filter((one) => one !== i)),
    ...(set.length < most ? others.map((i) => [...set, i]) : []),
    ...set.flatMap((i) => others.map((j) => [...set.filter((one) => one !== i), j])),
  ]
}

/** Returns the price of a set whose members do not make each other dearer. */
function ownPrice(members: readonly MemberPrice[], set: readonly number[], undone = Number.POSITIVE_INFINITY): number {
  const standing = ownSum(set.map((i) => members[i]?.standing ?? 0))
  const jobs = (members[0]?.jobs ?? []).map((_, job) =>
    Math.min(undone, ...set.map((i) => members[i]?.jobs[job] ?? undone)),
  )
  return standing + ownSum(jobs)
}

/** Ranks a member by what it saves for its price: the best are decided first, so that a good set is found early. */
function worth(members: readonly MemberPrice[], i: number): number {
  const { standing, jobs } = members[i] as MemberPrice
  return -standing - ownSum(jobs.map((job) => Math.min(job, UNDONE)))
}

function least(a: readonly number[], b: readonly number[]): readonly number[] {
  return a.map((value, i) => Math.min(value, b[i] ?? Number.POSITIVE_INFINITY))
}

function ownSum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
