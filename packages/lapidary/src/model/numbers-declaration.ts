import { shown } from './errors.ts'
import type { Facets } from './facet.ts'
import { facetAttributes } from './facet-origin.ts'
import { invalidDeclaration } from './invalid-declaration.ts'
import type { NumberKind } from './native-value.ts'
import type { Orders } from './order.ts'

/** The kind of number of each attribute, as far as the attribute's type allows it. */
export type NumbersOption<I> = { readonly [K in keyof I]?: KindOf<NonNullable<I[K]>> }

type KindOf<A> = unknown extends A
  ? NumberKind
  : [A] extends [number]
    ? 'number'
    : [A] extends [bigint]
      ? 'bigint'
      : [A] extends [string]
        ? 'decimal'
        : [A] extends [boolean]
          ? never
          : NumberKind

const KINDS: readonly unknown[] = ['number', 'bigint', 'decimal'] satisfies NumberKind[]

/** @throws {LapidaryError} `declaration_invalid` for an unknown kind, and for a kind that an order or a facet can't use. */
export function declaredNumbers(
  given: Readonly<Record<string, NumberKind | undefined>> | undefined = {},
  { orders, facets }: { readonly orders: Orders; readonly facets: Facets },
): Readonly<Record<string, NumberKind>> {
  const numbers = new Map<string, NumberKind>()
  for (const [attribute, kind] of Object.entries(given)) {
    if (kind === undefined) continue
    if (!KINDS.includes(kind))
      invalidDeclaration(`the numbers of ${attribute} are ${shown(kind)}; say one of ${KINDS.join(', ')}`)
    numbers.set(attribute, kind)
  }
  const isLong = (attribute: string): boolean => (numbers.get(attribute) ?? 'number') !== 'number'
  for (const { attribute, type } of Object.values(orders)) {
    if (type === 'decimal' && !isLong(attribute))
      invalidDeclaration(`the order by ${attribute} is decimal; say numbers: { ${attribute}: 'decimal' }, or 'bigint'`)
    if (type === 'number' && isLong(attribute))
      invalidDeclaration(
        `the numbers of ${attribute} are ${numbers.get(attribute)}s; say type: 'decimal' of the order by it`,
      )
  }
  for (const facet of facetAttributes(facets).filter(isLong)) {
    invalidDeclaration(
      `the numbers of ${facet} are ${numbers.get(facet)}s, and a facet has numbers of JavaScript; order by it with type: 'decimal' for a range of it, store it as a text to filter by it, or leave it out of numbers`,
    )
  }
  return Object.freeze(Object.fromEntries(numbers))
}
