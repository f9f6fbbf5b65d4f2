/** Writes a figure before a unit in Latin letters, which keeps that order among Arabic words. */
export function unit(figure: string, name: string): string {
  return `\u2066${figure} ${name}\u2069`
}
