/** Writes a number as people write it, with the word for what it counts: `1 item`, `1,070 items`, `2.51 requests`. */
export function count(value: number, singular?: string): string {
  const number = value.toLocaleString('en', { maximumFractionDigits: 2 })
  return singular === undefined ? number : `${number} ${singular}${value === 1 ? '' : 's'}`
}
