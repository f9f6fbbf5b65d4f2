// @ts-expect-error: it has no types.
import { toJson } from 'microdata-node'

/** An item of a page's microdata, as a search engine reads it. */
export interface StructuredItem {
  readonly type?: readonly string[]
  readonly properties: Readonly<Record<string, readonly (string | number | StructuredItem)[]>>
}

/** Reads the microdata of a page by the rules of the HTML standard, with a parser that others wrote. */
export function structuredData(html: string): readonly StructuredItem[] {
  return (toJson(html, { base: 'https://shop.example' }) as { readonly items: readonly StructuredItem[] }).items
}
