/**
 * P(Z > z) for Z of the standard normal distribution, to 1.5e-7: Abramowitz and Stegun, Handbook of Mathematical Functions,
 * 7.1.26.
 */
export function normalAbove(z: number): number {
  const x = Math.abs(z) / Math.SQRT2
  const t = 1 / (1 + 0.3275911 * x)
  const polynomial = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
  const above = 0.5 * polynomial * Math.exp(-x * x)
  return z >= 0 ? above : 1 - above
}

/** The density of the standard normal distribution. */
export function normalDensity(z: number): number {
  return Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)
}
