/** A text in hexadecimal, so that none needs an escape that JSON and PostgreSQL understand differently. */
export function hexOf(text: string): string {
  return Buffer.from(text).toString('hex')
}

/** The text that {@link hexOf} was given. */
export function textOf(hex: string | null | undefined): string {
  return Buffer.from(hex ?? '', 'hex').toString()
}
