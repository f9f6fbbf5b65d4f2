/** Mean of some numbers. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** The value below which a share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** Milliseconds that something took, with what it gave. */
export async function timed<T>(run: () => Promise<T>): Promise<{ readonly ms: number; readonly value: T }> {
  const startedAt = performance.now()
  const value = await run()
  return { ms: performance.now() - startedAt, value }
}

/** Rounded for a report. */
export function rounded(value: number, digits = 3): number {
  return Number(value.toFixed(digits))
}
