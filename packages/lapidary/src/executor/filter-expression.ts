import type { Entry } from '../model/entry-bytes.ts'
import type { EntryReader } from '../model/entry-reader.ts'
import type { FacetValue } from '../model/facet.ts'
import type { Filter } from '../model/query.ts'
import { isRange } from '../model/value-range.ts'

/** A filter expression with its names and values. */
export interface FilterExpression {
  readonly expression: string
  readonly names: Readonly<Record<string, string>>
  readonly values: Entry
}

/** The residual filter as DynamoDB runs it, after the read; undefined when there is nothing to filter. */
export function filterExpression(residual: Filter, codec: EntryReader): FilterExpression | undefined {
  const clauses: string[] = []
  const names: Record<string, string> = {}
  const values: Record<string, Entry[string]> = {}
  for (const [i, [facet, wanted]] of Object.entries(residual).entries()) {
    names[`#f${i}`] = codec.storedName(facet)
    if (isRange(wanted)) {
      for (const [end, compared] of [
        ['from', '>='],
        ['to', '<'],
      ] as const) {
        const value = wanted[end]
        if (value === undefined) continue
        values[`:f${i}${end}`] = attributeValue(value)
        clauses.push(`#f${i} ${compared} :f${i}${end}`)
      }
      continue
    }
    const each = codec.each(facet)
    const operands = wanted.map((value, j) => {
      values[`:f${i}v${j}`] = attributeValue(value)
      return `:f${i}v${j}`
    })
    if (each === undefined) {
      const isOneOf = `#f${i} IN (${operands.join(', ')})`
      clauses.push(wanted.includes(null) ? `(attribute_not_exists(#f${i}) OR ${isOneOf})` : isOneOf)
      continue
    }
    const { separator } = each
    const holds = operands.flatMap((operand, j) => {
      const value = wanted[j]
      if (value === null) {
        const isNone = [`attribute_not_exists(#f${i})`, `#f${i} = ${operand}`]
        if (separator !== undefined) return isNone
        values[`:f${i}none`] = { L: [] }
        return [...isNone, `#f${i} = :f${i}none`]
      }
      if (separator === undefined) return [`contains(#f${i}, ${operand})`]
      values[`${operand}b`] = { S: `${value}${separator}` }
      return [`#f${i} = ${operand}`, `begins_with(#f${i}, ${operand}b)`]
    })
    clauses.push(`(${holds.join(' OR ')})`)
  }
  return clauses.length === 0 ? undefined : { expression: clauses.join(' AND '), names, values }
}

function attributeValue(value: FacetValue): Entry[string] {
  if (value === null) return { NULL: true }
  if (typeof value === 'number') return { N: String(value) }
  return typeof value === 'boolean' ? { BOOL: value } : { S: value }
}
