import type { ProductKind } from './product-kinds.ts'

export type Rating = 1 | 2 | 3 | 4 | 5

/** The phrases of one language; `{n}` stands for a number from 3 to 9. */
export interface LanguageTexts {
  readonly tag: string
  /** Hours ahead of UTC where most writers of the language live. */
  readonly utcOffset: number
  readonly givenNames: readonly string[]
  readonly familyNames: readonly string[]
  /** Joins the parts of a name. */
  readonly fullName: (given: string, family: string) => string
  readonly titles: Readonly<Record<Rating, readonly string[]>>
  readonly openings: Readonly<Record<Rating, readonly string[]>>
  readonly praise: Readonly<Record<ProductKind, readonly string[]>>
  readonly blame: Readonly<Record<ProductKind, readonly string[]>>
  /** Remarks on delivery, price and support. */
  readonly goodDetails: readonly string[]
  readonly badDetails: readonly string[]
  readonly useDetails: readonly string[]
  /** Words before a sentence of the other mood, which goes on in small letters if `continuesSmall`. */
  readonly however: readonly string[]
  readonly continuesSmall: boolean
  readonly closings: Readonly<Record<'good' | 'mixed' | 'bad', readonly string[]>>
  /** What the shop answers to praise and to complaints. */
  readonly answers: Readonly<Record<'good' | 'bad', readonly string[]>>
  /** The text between sentences. */
  readonly space: string
}
