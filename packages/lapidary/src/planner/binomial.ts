/**
 * P(X >= k) for X ~ Binomial(n, p), by the recurrence of its probabilities,
 * P(X = j+1) = P(X = j) (n - j)/(j + 1) p/(1 - p); exact to rounding for the few hundred trials of a page.
 */
export function binomialAtLeast(k: number, n: number, p: number): number {
  if (k <= 0) return 1
  if (k > n || p <= 0) return 0
  if (p >= 1) return 1
  const odds = p / (1 - p)
  let term = (1 - p) ** n
  // The first probability may be too small for a number while those near the mean are not.
  if (term < Number.MIN_VALUE * 2 ** 60) return atLeastByLogarithms(k, n, p)
  let below = 0
  for (let j = 0; j < k; j++) {
    below += term
    term *= ((n - j) / (j + 1)) * odds
  }
  return Math.max(0, 1 - below)
}

function atLeastByLogarithms(k: number, n: number, p: number): number {
  const logOdds = Math.log(p) - Math.log1p(-p)
  let logTerm = n * Math.log1p(-p)
  let below = 0
  for (let j = 0; j < k; j++) {
    below += Math.exp(logTerm)
    logTerm += Math.log((n - j) / (j + 1)) + logOdds
  }
  return Math.max(0, 1 - below)
}
