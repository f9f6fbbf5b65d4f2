import { createLapidary, type Lapidary, type LapidaryOptions } from 'lapidary'
import { type authorships, authorshipsIn } from './authorships.ts'
import { type cases, casesIn } from './cases.ts'

// An interface is no record of collections to the compiler.
type Collections = { readonly cases: typeof cases; readonly authorships: typeof authorships }

/** The private records beside the comments, in the same table. */
export type PeopleRecords = Pick<Lapidary<Collections>, keyof Collections>

/**
 * Opens the private records. They are no part of the database of the comments: nothing counts or numbers them, and no export, API or studio of
 * that database can show them.
 */
export function openPeopleRecords(
  options: Omit<LapidaryOptions<Record<never, never>>, 'collections' | 'derived'>,
): PeopleRecords {
  const name = options.layout?.name
  const collections: Collections = { cases: casesIn(name), authorships: authorshipsIn(name) }
  const { cases, authorships } = createLapidary({ ...options, collections })
  return { cases, authorships }
}
