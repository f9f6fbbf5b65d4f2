/** Writes an amount of units: `2.5`, `3.04`. */
export function unitsText(units: unknown): string {
  const number = Number(units)
  if (!Number.isFinite(number)) return '–'
  return number.toLocaleString('en', { maximumFractionDigits: number < 10 ? 2 : 1 })
}

/** Writes how many requests wait for each other: `in 1 round`, `in 1.4 rounds`. */
export function roundsText(rounds: unknown): string {
  const number = Math.round(10 * Number(rounds)) / 10
  if (!Number.isFinite(number)) return '–'
  return number === 1 ? 'in 1 round' : `in ${number} rounds`
}

/** Writes dollars: `$0.31`, `$12.40`, `$1,240`. */
export function dollarsText(dollars: unknown): string {
  const number = Number(dollars)
  if (!Number.isFinite(number)) return '–'
  const digits = number >= 1000 ? 0 : number >= 0.1 || number === 0 ? 2 : 3
  return `$${number.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })}`
}

export function percentText(share: unknown): string {
  const percent = 100 * Number(share)
  if (!Number.isFinite(percent)) return '–'
  return `${percent.toLocaleString('en', { maximumFractionDigits: percent < 10 ? 1 : 0 })} %`
}

/** Takes a list as one, whatever came out of the sandbox. */
export function listed<T>(value: readonly T[] | undefined): readonly T[] {
  return Array.isArray(value) ? value.slice(0, 500) : []
}
