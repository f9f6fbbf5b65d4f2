/** The empty text as a parameter has it, since one without a value counts as absent. */
export const EMPTY_TEXT = '""'

/**
 * Splits values at commas. A value in double quotes may hold commas, and quotes that are doubled, as in CSV: `"red, white",blue`. Nothing between
 * two commas is no value; the empty text is `""`.
 */
export function splitValues(text: string): readonly string[] {
  const values = `,${text}`.matchAll(/,(?:"((?:[^"]|"")*)"(?=,|$)|([^,]*))/g)
  return [...values].flatMap(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? (plain === '' ? [] : (plain ?? [])),
  )
}

/** Writes values as {@link splitValues} reads them. */
export function joinValues(values: readonly unknown[]): string {
  return values
    .map(String)
    .map((text) => (text === '' || /^"|,/.test(text) ? `"${text.replaceAll('"', '""')}"` : text))
    .join(',')
}
