import type { Entry } from '../../model/entry.ts'
import { LapidaryError, shown } from '../../model/errors.ts'

/**
 * Keys that another program makes from an item's attributes, as a text with their names in braces: `CUSTOMER#{customerId}`,
 * `ORDER#{placedAt}#{id}`.
 */
export interface KeyTemplate {
  /** The secondary index that the keys belong to; the table itself when not given. */
  readonly index?: string
  /** The partition key: its name in the table, and its template. The scope is one of its attributes; facets may be others. */
  readonly partition: readonly [name: string, template: string]
  /** The sort key: texts and facets, then the time that lists are ordered by, then the id; or only the id, where lists are ordered by it. */
  readonly sort: readonly [name: string, template: string]
  /** The case in which the whole of the partition key is written, as ElectroDB's `casing`; unchanged when not given. */
  readonly casing?: { readonly partition?: KeyCasing; readonly sort?: 'none' }
  /** The padding before short values of the scope or a facet, as ElectroDB's `padding`: `{ branch: { length: 6, char: '0' } }`. */
  readonly padding?: Readonly<Record<string, { readonly length: number; readonly char: string }>>
}

/** The case of a key; `none` leaves it unchanged. */
export type KeyCasing = 'lower' | 'none' | 'upper'

/** A part of a template: a literal text, or an attribute's name. */
export type TemplatePart = { readonly text: string } | { readonly attribute: string }

const ATTRIBUTE = /\{([^{}]+)\}/g

/** @throws {LapidaryError} `declaration_invalid` for unmatched braces. */
export function templateParts(template: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = []
  let at = 0
  for (const { 0: whole, 1: attribute = '', index } of template.matchAll(ATTRIBUTE)) {
    if (index > at) parts.push({ text: template.slice(at, index) })
    parts.push({ attribute })
    at = index + whole.length
  }
  if (at < template.length) parts.push({ text: template.slice(at) })
  if (parts.some((part) => 'text' in part && /[{}]/.test(part.text)))
    throw new LapidaryError(
      'declaration_invalid',
      `the key template ${shown(template)} has an unmatched brace; write attributes as {name}`,
    )
  return parts
}

/** Fills a template with values: padded, and in the case of the key. */
export function filledTemplate(
  { padding = {}, casing = {} }: KeyTemplate,
  key: 'partition' | 'sort',
  parts: readonly TemplatePart[],
  valueText: (attribute: string) => string,
): string {
  const padded = (attribute: string): string => {
    const text = valueText(attribute)
    const { length, char } = (Object.hasOwn(padding, attribute) ? padding[attribute] : undefined) ?? NOT_PADDED
    return text.padStart(length, char)
  }
  const text = parts.map((part) => ('text' in part ? part.text : padded(part.attribute))).join('')
  return key === 'partition' ? inCase(text, casing.partition) : text
}

const NOT_PADDED = { length: 0, char: '' }

/** Returns a text in the case of a key. */
export function inCase(text: string, casing: KeyCasing | undefined): string {
  if (casing === 'lower') return text.toLowerCase()
  return casing === 'upper' ? text.toUpperCase() : text
}

/** Returns an attribute as keys hold it; the empty text where there is none. */
export function attributeText(value: Entry[string] | undefined): string {
  return String(value?.S ?? value?.N ?? value?.BOOL ?? '')
}
