/**
 * P(X >= k) for k = 0 to n, X being how many of the next n items come from a list with share p. X is binomial where the share is
 * known exactly. Where it is known only as well as from `trust` items, it is beta-binomial, with p's own distribution
 * Beta(p * trust, (1 - p) * trust).
 *
 * By the recurrence of the probabilities, in logarithms so that none is too small for a number:
 * P(j + 1) / P(j) = (n - j) / (j + 1) * (j + a) / (n - j - 1 + b), and p / (1 - p) for the last factor where trust is infinite.
 */
export function shareTail(n: number, p: number, trust: number): readonly number[] {
  if (p >= 1) return new Array<number>(n + 1).fill(1)
  const [a, b] = [p * trust, (1 - p) * trust]
  const exact = !(trust < MOST_TRUST)
  let log = exact ? n * Math.log1p(-p) : 0
  if (!exact) for (let j = 0; j < n; j++) log += Math.log((b + j) / (trust + j))
  const tail: number[] = [1]
  let below = 0
  for (let j = 0; j < n; j++) {
    below += Math.exp(log)
    tail.push(Math.max(0, 1 - below))
    const odds = exact ? p / (1 - p) : (j + a) / (n - j - 1 + b)
    log += Math.log(((n - j) / (j + 1)) * odds)
  }
  return tail
}

/** Shares that are known from more items than that are known exactly. */
const MOST_TRUST = 1e6
