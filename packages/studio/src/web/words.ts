const whole = new Intl.NumberFormat('en')
const fine = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })
const cents = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })
const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumFractionDigits: 2 })

/** Writes a number: `12,345`. */
export const number = (value: number): string => whole.format(value)
/** Writes a number with at most one decimal: `2.5`. */
export const decimal = (value: number): string => fine.format(value)
/** Writes a decimal text, of any number of digits, to two behind the point: `70,632.26`. */
export const amount = (value: string): string => cents.format(value as `${number}`)
/** Writes an amount in dollars: `$0.25`. */
export const money = (value: number): string => dollars.format(value)

/** Writes a number of things: `1 item`, `2 items`, `1.1 rounds`. */
export function count(value: number, thing: string, things: string = `${thing}s`): string {
  return `${decimal(value)} ${value === 1 ? thing : things}`
}

/** Writes a length of time: `0.4 s`, `3 min`. */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000
  if (seconds < 120) return `${decimal(seconds)} s`
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`
}

/** Writes a time to the second in UTC: `2026-01-31 12:00:00`. */
export function moment(time: number | string): string {
  return new Date(time).toISOString().slice(0, 19).replace('T', ' ')
}
