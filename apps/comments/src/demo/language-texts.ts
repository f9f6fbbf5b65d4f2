/** What is sold. */
export const PRODUCT_KINDS = ['headphones', 'backpack', 'coffee-maker', 'running-shoes', 'desk-lamp'] as const

export type ProductKind = (typeof PRODUCT_KINDS)[number]

export type Rating = 1 | 2 | 3 | 4 | 5

/** What people write in one language; `{n}` stands for a number from 3 to 9. */
export interface LanguageTexts {
  readonly tag: string
  /** Hours ahead of UTC where most of its writers live. */
  readonly utcOffset: number
  readonly givenNames: readonly string[]
  readonly familyNames: readonly string[]
  /** How a name is written. */
  readonly fullName: (given: string, family: string) => string
  readonly titles: Readonly<Record<Rating, readonly string[]>>
  readonly openings: Readonly<Record<Rating, readonly string[]>>
  readonly praise: Readonly<Record<ProductKind, readonly string[]>>
  readonly blame: Readonly<Record<ProductKind, readonly string[]>>
  /** Delivery, price, support. */
  readonly goodDetails: readonly string[]
  readonly badDetails: readonly string[]
  readonly useDetails: readonly string[]
  /** Before a sentence of the other mood, which goes on in small letters if `continuesSmall`. */
  readonly however: readonly string[]
  readonly continuesSmall: boolean
  readonly closings: Readonly<Record<'good' | 'mixed' | 'bad', readonly string[]>>
  /** Between sentences. */
  readonly space: string
}
