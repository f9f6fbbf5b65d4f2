import { createLapidary, type Lapidary, type LapidaryOptions } from 'lapidary'
import { inLayout } from '../in-layout.ts'
import { authorships } from './authorships.ts'
import { cases } from './cases.ts'

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
  const collections: Collections = { cases: inLayout(cases, name), authorships: inLayout(authorships, name) }
  return createLapidary({ ...options, collections })
}
