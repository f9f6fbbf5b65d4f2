import type { Random } from './random.ts'

/** A facet of the simulated items: how many values it has. */
export const FACETS: readonly number[] = [2, 3, 4, 5, 8, 10, 20, 40, 60, 100]

/** How the values of items come about. */
export type Mix = 'uniform' | 'skewed' | 'correlated' | 'bursty'
export const MIXES: readonly Mix[] = ['uniform', 'skewed', 'correlated', 'bursty']

/** Items of such facets, the newest last: the number of a value for each facet. */
export function columnsData(items: number, mix: Mix, random: Random): readonly Uint8Array[] {
  const columns = FACETS.map(() => new Uint8Array(items))
  const draws = FACETS.map((values) => drawOf(values, mix, random))
  for (let row = 0; row < items; row++) {
    for (let f = 0; f < FACETS.length; f++) {
      const values = FACETS[f] as number
      const follows = mix === 'correlated' && f > 0 && random() < 0.7
      // What the facet before it has tells most of it, as a city tells the country.
      const value = follows ? ((columns[f - 1]?.[row] as number) * 7) % values : (draws[f] as () => number)()
      ;(columns[f] as Uint8Array)[row] = value
    }
  }
  return columns
}

function drawOf(values: number, mix: Mix, random: Random): () => number {
  if (mix === 'uniform') return () => Math.floor(random() * values)
  // One value of few comes in most items: an exponent of 1, as Zipf's law has it.
  const weights = Array.from({ length: values }, (_, i) => 1 / (i + 1))
  const sum = weights.reduce((a, b) => a + b)
  const draw = (): number => {
    let left = random() * sum
    for (let i = 0; i < values; i++) {
      left -= weights[i] as number
      if (left < 0) return i
    }
    return values - 1
  }
  if (mix !== 'bursty') return draw
  let [value, left] = [0, 0]
  return () => {
    if (left-- <= 0) [value, left] = [draw(), Math.floor(random() * 200)]
    return value
  }
}

/** Filters that narrow so many facets, each to some of its values. */
export function columnsFilter(narrowed: number, random: Random): ReadonlyMap<number, ReadonlySet<number>> {
  const facets = new Set<number>()
  while (facets.size < narrowed) facets.add(Math.floor(random() * FACETS.length))
  return new Map(
    [...facets].map((facet) => {
      const values = FACETS[facet] as number
      const most = Math.max(1, Math.floor(values / 2))
      const wanted = new Set<number>()
      const count = 1 + Math.floor(random() * most)
      while (wanted.size < count) wanted.add(Math.floor(random() * values))
      return [facet, wanted]
    }),
  )
}
