import type { Collection } from './collection.ts'
import { LapidaryError, shown } from './errors.ts'
import type { NumberKind } from './native-value.ts'

/** An attribute of an item with a number that can't be read as the attribute is declared. */
export interface UnreadableAttribute {
  /** The item's id. */
  readonly id: string
  readonly attribute: string
  /** The number, with all its digits. */
  readonly number: string
  /** The declared kind of the attribute's numbers; null where none is declared. */
  readonly declared: NumberKind | null
}

/** Writes `"7" can't be read: its amount is 0.1000000000000000000001, of which …`. */
export function unreadableText({ id, attribute, number, declared }: UnreadableAttribute): string {
  return `${shown(id)} can't be read: its ${attribute} is ${number}, ${REASONS[declared ?? 'undeclared']}; declare numbers: { ${attribute}: 'decimal' }`
}

const REASONS: Readonly<Record<NumberKind | 'undeclared', string>> = {
  undeclared: 'which neither a number nor a bigint of JavaScript holds',
  number: 'of which JavaScript has only a number near it',
  bigint: 'which is not whole',
  decimal: 'which is no number',
}

/** Makes the error that names the item, the attribute and what to declare. */
export function unreadableError({ name }: Pick<Collection, 'name'>, found: UnreadableAttribute): LapidaryError {
  return new LapidaryError('table_mismatch', `${name} ${unreadableText(found)}`, { details: { ...found } })
}

/** The most left-out items that an error names. */
const MOST_NAMED = 100

/** The items that a reader left out of what it gave one by one; it ends with this error. */
export class LeftOut {
  readonly #named: UnreadableAttribute[] = []
  #items = 0

  add(found: UnreadableAttribute): void {
    this.#items += 1
    if (this.#named.length < MOST_NAMED) this.#named.push(found)
  }

  /** @throws {LapidaryError} `table_mismatch` where items were left out; `details.unreadable` names them, `details` holds the rest. */
  throwIfAny({ name }: Pick<Collection, 'name'>, details: Readonly<Record<string, unknown>> = {}): void {
    const [first] = this.#named
    if (first === undefined) return
    const more = this.#items === 1 ? '' : ` (and ${this.#items - 1} more were left out)`
    throw new LapidaryError('table_mismatch', `${name} ${unreadableText(first)}${more}`, {
      details: { ...details, items: this.#items, unreadable: this.#named },
    })
  }
}
