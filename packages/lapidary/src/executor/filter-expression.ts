import type { Condition, Term } from '../model/condition.ts'
import type { Entry } from '../model/entry-bytes.ts'
import type { EntryReader, StoredPlace } from '../model/entry-reader.ts'
import type { FacetValue } from '../model/facet.ts'
import type { Each } from '../model/facet-values.ts'
import { byteLength } from '../model/key-text.ts'
import type { Filter } from '../model/query.ts'
import { isRange } from '../model/value-range.ts'

/** A filter expression with its names and values. */
export interface FilterExpression {
  readonly expression: string
  readonly names: Readonly<Record<string, string>>
  readonly values: Entry
}

/** The limits of DynamoDB: bytes of an expression, operators and functions in it, and operands of one `IN`. */
const MOST_BYTES = 4_096
const MOST_OPERATORS = 300
const MOST_OPERANDS = 100

/**
 * Returns what is left to filter as DynamoDB runs it, after the read; undefined when nothing is.
 *
 * @param residual What is asked of facets that are stored; so is `also`.
 * @returns `refused` where DynamoDB would refuse it, since it is too large.
 */
export function filterExpression(
  residual: Filter,
  also: Condition | undefined,
  codec: EntryReader,
): FilterExpression | 'refused' | undefined {
  const writer = new ExpressionWriter(codec)
  const clauses = Object.entries(residual).map(([facet, wanted]) => writer.term({ facet, wanted }, 'AND'))
  if (also !== undefined) clauses.push(writer.condition(also, clauses.length === 0 ? undefined : 'AND'))
  if (clauses.length === 0) return undefined
  const expression = writer.joined('AND', clauses)
  if (byteLength(expression) > MOST_BYTES || writer.operators > MOST_OPERATORS) return 'refused'
  return { expression, names: writer.names, values: writer.values }
}

type Joining = 'AND' | 'OR'

/** Writes an expression, clause by clause, and counts what DynamoDB counts. */
class ExpressionWriter {
  readonly names: Record<string, string> = {}
  readonly values: Record<string, Entry[string]> = {}
  operators = 0
  readonly #codec: EntryReader
  readonly #named = new Map<string, string>()
  #terms = 0

  constructor(codec: EntryReader) {
    this.#codec = codec
  }

  /** @param within What the clause is joined by with those beside it. */
  condition(condition: Condition, within: Joining | 'NOT' | undefined): string {
    if ('not' in condition) {
      this.operators += 1
      return `NOT (${this.term(condition.not, undefined)})`
    }
    if ('facet' in condition) return this.term(condition, within)
    const [joining, parts]: [Joining, readonly Condition[]] =
      'all' in condition ? ['AND', condition.all] : ['OR', condition.any]
    const clauses = parts.map((part) => this.condition(part, joining))
    return enclosed(this.joined(joining, clauses), joining, within)
  }

  term({ facet, wanted }: Term, within: Joining | 'NOT' | undefined): string {
    const number = this.#terms++
    const name = this.#nameOf(facet)
    const each = this.#codec.each(facet)
    if (isRange(wanted)) {
      const ends = (['from', 'to'] as const).flatMap((end) => {
        const value = wanted[end]
        if (value === undefined) return []
        this.operators += 1
        return [`${name} ${end === 'from' ? '>=' : '<'} ${this.#value(`:f${number}${end}`, attributeValue(value))}`]
      })
      return enclosed(this.joined('AND', ends), ends.length === 1 ? within : 'AND', within)
    }
    const clauses = each === undefined ? this.#oneOf(name, wanted, number) : this.#holds(name, wanted, each, number)
    return enclosed(this.joined('OR', clauses), clauses.length === 1 ? within : 'OR', within)
  }

  joined(joining: Joining, clauses: readonly string[]): string {
    this.operators += Math.max(0, clauses.length - 1)
    return clauses.join(` ${joining} `)
  }

  #oneOf(name: string, wanted: readonly FacetValue[], number: number): readonly string[] {
    const operands = wanted.map((value, i) => this.#value(`:f${number}v${i}`, attributeValue(value)))
    const sets: string[] = []
    for (let i = 0; i < operands.length; i += MOST_OPERANDS) {
      this.operators += 1
      sets.push(`${name} IN (${operands.slice(i, i + MOST_OPERANDS).join(', ')})`)
    }
    return wanted.includes(null) ? [this.#absent(name), ...sets] : sets
  }

  #holds(name: string, wanted: readonly FacetValue[], { separator }: Each, number: number): readonly string[] {
    return wanted.flatMap((value, i) => {
      const operand = this.#value(`:f${number}v${i}`, attributeValue(value))
      this.operators += 1
      if (value === null) {
        const isNone = [this.#absent(name), `${name} = ${operand}`]
        if (separator !== undefined) return isNone
        this.operators += 1
        return [...isNone, `${name} = ${this.#value(`:f${number}none`, { L: [] })}`]
      }
      if (separator === undefined) return [`contains(${name}, ${operand})`]
      this.operators += 1
      const below = this.#value(`${operand}b`, { S: `${value}${separator}` })
      return [`${name} = ${operand}`, `begins_with(${name}, ${below})`]
    })
  }

  #absent(name: string): string {
    this.operators += 1
    return `attribute_not_exists(${name})`
  }

  #nameOf(facet: string): string {
    const known = this.#named.get(facet)
    if (known !== undefined) return known
    const { name: stored, inner } = placeOf(this.#codec, facet)
    const names = [stored, ...inner].map((part, i) => {
      const placeholder = `#f${this.#named.size}${i === 0 ? '' : `p${i}`}`
      this.names[placeholder] = part
      return placeholder
    })
    const name = names.join('.')
    this.#named.set(facet, name)
    return name
  }

  #value(name: string, value: Entry[string]): string {
    this.values[name] = value
    return name
  }
}

/** @throws {TypeError} For a computed facet, which this process filters by. */
function placeOf(codec: EntryReader, facet: string): StoredPlace {
  const place = codec.storedPlace(facet)
  if (place === undefined) throw new TypeError(`DynamoDB can't compute ${facet}`)
  return place
}

/** Puts a clause in brackets where what it is joined by would not hold it together. */
function enclosed(clause: string, by: Joining | 'NOT' | undefined, within: Joining | 'NOT' | undefined): string {
  return by === within || within === undefined ? clause : `(${clause})`
}

function attributeValue(value: FacetValue): Entry[string] {
  if (value === null) return { NULL: true }
  if (typeof value === 'number') return { N: String(value) }
  return typeof value === 'boolean' ? { BOOL: value } : { S: value }
}
