/** What the playground asks its worker. Texts are JavaScript: types were taken out of what a person typed. */
export interface Question {
  /** Code that declares collections, as it stands in a program. */
  readonly declaration: string
  /** `lapidary.orders.list({ … })`, or what `list` takes. */
  readonly query: string
  readonly data: DataGiven
}

/** What a person says of the items of one scope; of what they do not say, the declaration decides. */
export interface DataGiven {
  readonly items?: number
  readonly itemBytes?: number
  /** Whether counts are kept, whatever the declaration says. */
  readonly counts?: boolean
  /** How often each value is, by facet and the text of the value; 0 or more, in any unit. */
  readonly shares?: Readonly<Record<string, Readonly<Record<string, number>>>>
}

/** The formats in which the definition of the table is shown, as the command line has them. */
export const TABLE_FORMATS = ['create-table', 'cloudformation', 'cdk', 'terraform', 'workbench'] as const
export type TableFormat = (typeof TABLE_FORMATS)[number]
