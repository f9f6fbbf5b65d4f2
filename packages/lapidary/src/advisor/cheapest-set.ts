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
  priceOf(members: readonly number[]): PricedSet<P> | undefined
  /** After so many sets in part it ends, with the best so far; {@link MOST_STEPS} when not given. */
  readonly mostSteps?: number
}

const MOST_STEPS = 200_000
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
 */
export function cheapestSet<P>(options: SearchOptions<P>): CheapestSet<P> {
  const { members, base, most, priceOf, mostSteps = MOST_STEPS } = options
  const order = members.map((_, i) => i).toSorted((a, b) => worth(members, b) - worth(members, a))
  const jobs = members[0]?.jobs.length ?? 0
  // What each job costs at least with those that are decided last.
  const rest: (readonly number[])[] = [new Array<number>(jobs).fill(Number.POSITIVE_INFINITY)]
  for (const member of order.toReversed()) rest.unshift(least(rest[0] ?? [], members[member]?.jobs ?? []))

  let best: PricedSet<P> | undefined
  let chosen: readonly number[] = []
  let [steps, tried] = [0, 0]
  const attempt = (taken: readonly number[]): void => {
    tried += 1
    const priced = priceOf(taken)
    if (priced === undefined || (best !== undefined && priced.price >= best.price - SLACK)) return
    best = priced
    chosen = taken
  }
  attempt(greedySet(members, most))
  const descend = (depth: number, taken: readonly number[], standing: number, done: readonly number[]): void => {
    steps += 1
    if (steps > mostSteps) return
    const bound = base + standing + sum(least(done, rest[depth] ?? []))
    if (bound === Number.POSITIVE_INFINITY || (best !== undefined && bound >= best.price * (1 - CLOSE))) return
    const next = order[depth]
    if (next === undefined) {
      attempt(taken)
      return
    }
    const member = members[next] as MemberPrice
    if (taken.length < most) descend(depth + 1, [...taken, next], standing + member.standing, least(done, member.jobs))
    descend(depth + 1, taken, standing, done)
  }
  descend(0, [], 0, rest.at(-1) ?? [])
  return { members: chosen.toSorted((a, b) => a - b), priced: best, proven: steps <= mostSteps, tried }
}

/** Members added, removed or swapped one at a time for as long as that makes the sum of their own prices less. */
function greedySet(members: readonly MemberPrice[], most: number): readonly number[] {
  const all = members.map((_, i) => i)
  const sumOf = (taken: readonly number[]): number =>
    sum(taken.map((i) => members[i]?.standing ?? 0)) +
    sum(
      (members[0]?.jobs ?? []).map((_, job) => Math.min(UNDONE, ...taken.map((i) => members[i]?.jobs[job] ?? UNDONE))),
    )
  let taken: readonly number[] = []
  for (;;) {
    const current = taken
    const others = all.filter((i) => !current.includes(i))
    const moves = [
      ...(current.length < most ? others.map((i) => [...current, i]) : []),
      ...current.map((i) => current.filter((one) => one !== i)),
      ...current.flatMap((i) => others.map((j) => [...current.filter((one) => one !== i), j])),
    ]
    const best = moves.reduce((least, move) => (sumOf(move) < sumOf(least) - SLACK ? move : least), current)
    if (best === current) return current
    taken = best
  }
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
