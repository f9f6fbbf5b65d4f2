import { addedDecimals, negatedDecimal, plainDecimal } from '../model/decimal.ts'

/** What is added to a derived item under a name: a whole number, or a decimal number as a text with all of its digits. */
export type Amount = number | string

/** Amounts by name. What items add to a derived item is a sum of these, so it can be added and taken away in any order. */
export type Amounts = Readonly<Record<string, Amount>>

/** Returns the exact sum; a text where one of the two is a text, with as many digits as it takes. */
export function addedAmounts(a: Amount, b: Amount): Amount {
  return typeof a === 'number' && typeof b === 'number' ? a + b : addedDecimals(String(a), String(b))
}

/** Returns an amount, or with -1 what takes it away; a text in its one way of writing. */
export function timesAmount(amount: Amount, times: 1 | -1): Amount {
  if (typeof amount === 'number') return times * amount
  return times === 1 ? plainDecimal(amount) : negatedDecimal(amount)
}

/** @param amount As {@link addedAmounts} and {@link timesAmount} give it. */
export function isNoAmount(amount: Amount): boolean {
  return amount === 0 || amount === '0'
}

/** Returns the sum of amounts, or with -1 the difference; without zeros. */
export function sumOf(a: Amounts, b: Amounts, times: 1 | -1 = 1): Amounts {
  const sum: Record<string, Amount> = Object.create(null) as Record<string, Amount>
  for (const [name, amount] of Object.entries(a)) sum[name] = amount
  for (const [name, amount] of Object.entries(b)) {
    const before = sum[name]
    const more = timesAmount(amount, times)
    sum[name] = before === undefined ? more : addedAmounts(before, more)
  }
  return Object.fromEntries(Object.entries(sum).filter(([, amount]) => !isNoAmount(amount)))
}
